"""What a question may cost: time and tokens, counted in the state and held to."""

import time

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.genai import types

from agents.data_search.callbacks.stages import set_fault, tell_refusal_before_agent_callback
from agents.data_search.constants import RUN_STARTED, USAGE
from agents.data_search.environment import Environment
from agents.data_search.model import TIME_BUDGET_LABEL, TIME_LEFT_LABEL, BoundedLlm

_ROOT = "root_agent"


class BudgetPlugin(BasePlugin):
    """Counts the model's calls and tokens, and asks it no more once the question's budget is spent.

    It closes the model's connections with the runner, which closes only toolsets by itself.
    """

    def __init__(self, environment: Environment, model: BoundedLlm) -> None:
        super().__init__(name="budget")
        self._environment = environment
        self._model = model

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Tell the model how long it has; an answer in its place once the budget is spent."""
        state, limits = callback_context.state, self._environment
        usage = state.get(USAGE) or {}
        left_s = limits.time_budget_s - (time.time() - (state.get(RUN_STARTED) or time.time()))
        if left_s <= 0:
            set_fault(callback_context, "budget_time", limit=f"{limits.time_budget_s:g}")
        elif usage.get("tokens", 0) >= limits.token_budget:
            set_fault(callback_context, "budget_tokens", limit=f"{limits.token_budget:,}")
        else:
            llm_request.config.labels = {
                **(llm_request.config.labels or {}),
                TIME_LEFT_LABEL: f"{left_s:.3f}",
                TIME_BUDGET_LABEL: f"{limits.time_budget_s:g}",
            }
            return None
        content = types.Content(role="model", parts=[])
        if callback_context.agent_name == _ROOT:
            content = tell_refusal_before_agent_callback(callback_context) or content
        return LlmResponse(content=content)

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> None:
        """Count what the call cost."""
        if llm_response.partial:
            return
        usage = callback_context.state.get(USAGE) or {}
        counted = llm_response.usage_metadata
        tokens = (counted.total_token_count if counted else None) or 0
        callback_context.state[USAGE] = {
            "model_calls": usage.get("model_calls", 0) + 1,
            "tokens": usage.get("tokens", 0) + tokens,
        }

    async def close(self) -> None:
        await self._model.close()
