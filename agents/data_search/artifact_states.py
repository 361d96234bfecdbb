"""The artifacts of a session by invocation, kept in its state.

The state holds plain JSON under `artifact_states`, and a change assigns a new value: ADK notices only that.
"""

from collections.abc import MutableMapping
from typing import Any, Protocol

from agents.data_search.constants import ARTIFACT_STATES
from agents.data_search.custom_types.data_state import AppState, Artifact


class SessionState(Protocol):
    """What is needed of ADK's State; a dict has it too."""

    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of a key."""

    def __setitem__(self, key: str, value: Any, /) -> None: ...


def initialize_state(state: SessionState, invocation_id: str) -> AppState:
    """The state of an invocation, an empty one if there is none yet."""
    if (known := get_state(state, invocation_id)) is not None:
        return known
    fresh = AppState()
    _store(state, invocation_id, fresh)
    return fresh


# The name in the architecture that the agent was built from.
_initialize_state = initialize_state


def add_artifact_to_state(state: SessionState, invocation_id: str, artifact: Artifact) -> AppState:
    """The state of the invocation with the artifact at its end."""
    known = initialize_state(state, invocation_id)
    grown = AppState(artifacts=[*known.artifacts, artifact])
    _store(state, invocation_id, grown)
    return grown


def get_state(state: SessionState, invocation_id: str) -> AppState | None:
    """The state of an invocation, or None."""
    found = _read(state).get(invocation_id)
    return None if found is None else AppState.model_validate(found)


def delete_state(state: SessionState, invocation_id: str) -> bool:
    """Forget an invocation; whether there was one. Its files stay."""
    kept = _read(state)
    was_known = kept.pop(invocation_id, None) is not None
    if was_known:
        state[ARTIFACT_STATES] = kept
    return was_known


def get_all_states(state: SessionState) -> dict[str, AppState]:
    """The states by invocation, oldest first."""
    return {key: AppState.model_validate(value) for key, value in _read(state).items()}


def clear_all_states(state: SessionState) -> None:
    """Forget all invocations. Their files stay."""
    state[ARTIFACT_STATES] = {}


def _store(state: SessionState, invocation_id: str, app_state: AppState) -> None:
    state[ARTIFACT_STATES] = {**_read(state), invocation_id: app_state.model_dump(mode="json")}


def _read(state: SessionState) -> MutableMapping[str, Any]:
    """A copy, so that the caller's change does not bypass the state's own record of changes."""
    return dict(state.get(ARTIFACT_STATES) or {})
