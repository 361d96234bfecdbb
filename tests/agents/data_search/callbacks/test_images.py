"""Images of the question become artifacts."""

import struct

from google.genai import types

from agents.data_search.artifact_states import get_state
from agents.data_search.callbacks.images import save_imgfile_artifact_before_agent_callback
from agents.data_search.custom_types.data_state import ImgArtifact
from tests.agents.data_search.contexts import make_context, user_message

_PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)


async def test_images_of_the_question_become_artifacts_once() -> None:
    image = types.Part.from_bytes(data=_PNG, mime_type="image/png")
    sheet = types.Part.from_bytes(data=b"x", mime_type="text/csv")
    context = await make_context(user_message("look", image, sheet))

    await save_imgfile_artifact_before_agent_callback(context)
    await save_imgfile_artifact_before_agent_callback(context)

    assert await context.list_artifacts() == ["run-1_input_0.png"]
    state = get_state(context.state, "run-1")
    assert state is not None
    assert state.artifacts == [
        ImgArtifact(
            filename="run-1_input_0.png",
            mime_type="image/png",
            user_query="look",
            img_size=(640, 480),
        )
    ]


async def test_a_question_without_images_has_an_empty_state() -> None:
    context = await make_context("no image")

    await save_imgfile_artifact_before_agent_callback(context)

    state = get_state(context.state, "run-1")
    assert state is not None
    assert state.artifacts == []
