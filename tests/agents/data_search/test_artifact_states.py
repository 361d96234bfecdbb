"""Artifacts by the invocation that made them."""

import json

import pytest

from agents.data_search.artifact_states import (
    add_artifact_to_state,
    clear_all_states,
    delete_state,
    get_all_states,
    get_state,
    initialize_state,
)
from agents.data_search.constants import ARTIFACT_STATES
from agents.data_search.custom_types.data_state import AppState, ImgArtifact, TabularArtifact
from tests.agents.data_search.contexts import make_context

_IMAGE = ImgArtifact(filename="a.png", mime_type="image/png", img_size=(2, 3))
_TABLE = TabularArtifact(filename="b.csv", mime_type="text/csv", data_length=4)


def test_artifacts_keep_their_kinds_and_order() -> None:
    state: dict[str, object] = {}
    add_artifact_to_state(state, "run-1", _IMAGE)
    add_artifact_to_state(state, "run-1", _TABLE)

    assert get_state(state, "run-1") == AppState(artifacts=[_IMAGE, _TABLE])
    assert json.loads(json.dumps(state)) == state


def test_invocations_are_apart() -> None:
    state: dict[str, object] = {}
    add_artifact_to_state(state, "run-1", _IMAGE)
    initialize_state(state, "run-2")

    assert {key: len(each.artifacts) for key, each in get_all_states(state).items()} == {
        "run-1": 1,
        "run-2": 0,
    }


def test_initialising_again_keeps_what_is_there() -> None:
    state: dict[str, object] = {}
    add_artifact_to_state(state, "run-1", _IMAGE)

    assert initialize_state(state, "run-1").artifacts == [_IMAGE]


@pytest.mark.parametrize(("invocation", "was_known"), [("run-1", True), ("run-2", False)])
def test_deleting_tells_whether_it_was_known(invocation: str, was_known: bool) -> None:
    state: dict[str, object] = {}
    initialize_state(state, "run-1")

    assert delete_state(state, invocation) is was_known
    assert get_state(state, invocation) is None


def test_clearing_forgets_all() -> None:
    state: dict[str, object] = {}
    initialize_state(state, "run-1")
    clear_all_states(state)

    assert get_all_states(state) == {}


async def test_adk_notices_each_change() -> None:
    context = await make_context()
    add_artifact_to_state(context.state, "run-1", _IMAGE)
    add_artifact_to_state(context.state, "run-1", _TABLE)

    [delta] = context.actions.state_delta[ARTIFACT_STATES].values()
    assert len(delta["artifacts"]) == 2
