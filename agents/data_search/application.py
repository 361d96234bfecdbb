"""The application: the root agent over the pipeline, or the pipeline alone."""

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.apps import App
from google.genai import types

from agents.data_search.budget import BudgetPlugin
from agents.data_search.callbacks.attachments import read_attachments_before_agent_callback
from agents.data_search.callbacks.images import save_imgfile_artifact_before_agent_callback
from agents.data_search.callbacks.inline_data import (
    remove_non_text_part_from_llmrequest_before_model_callback,
)
from agents.data_search.callbacks.replies import mark_unread_after_model_callback
from agents.data_search.callbacks.sections import (
    add_sections_before_model_callback,
    load_description,
    load_instruction,
)
from agents.data_search.callbacks.stages import (
    begin_run_before_agent_callback,
    report_fault_on_tool_error_callback,
    tell_fault_on_model_error_callback,
    tell_refusal_before_agent_callback,
)
from agents.data_search.constants import APP_NAME
from agents.data_search.environment import Environment
from agents.data_search.mcp_tools import ToolServer
from agents.data_search.model import make_model
from agents.data_search.pipeline import Resources, build_data_search_agent

_ROOT = "root_agent"


def build_app(environment: Environment, *, is_direct: bool = False) -> App:
    """The application; a direct one starts at data_search_agent, which saves a model call.

    It connects to nothing yet. Raises SettingError.
    """
    model = make_model(environment)
    resources = Resources(
        model=model,
        server=ToolServer(environment),
        has_references=environment.has_references,
        is_recorded=environment.is_recorded,
        shows_images=environment.shows_images,
    )
    root: BaseAgent = build_data_search_agent(resources)
    if not is_direct:
        instruction = load_instruction(_ROOT)
        root = LlmAgent(
            name=_ROOT,
            model=model,
            description=load_description(_ROOT),
            instruction=lambda _context: instruction,
            generate_content_config=types.GenerateContentConfig(temperature=0.0),
            sub_agents=[root],
            before_agent_callback=[
                begin_run_before_agent_callback,
                tell_refusal_before_agent_callback,
                save_imgfile_artifact_before_agent_callback,
                read_attachments_before_agent_callback,
            ],
            before_model_callback=[
                remove_non_text_part_from_llmrequest_before_model_callback,
                add_sections_before_model_callback(_ROOT),
            ],
            after_model_callback=mark_unread_after_model_callback,
            on_model_error_callback=tell_fault_on_model_error_callback,
            on_tool_error_callback=report_fault_on_tool_error_callback,
        )
    return App(name=APP_NAME, root_agent=root, plugins=[BudgetPlugin(environment, model)])
