"""Before the first agent: images that the user sent become artifacts."""

import logging

from google.adk.agents.callback_context import CallbackContext
from google.genai import types

from agents.data_search.artifact_states import add_artifact_to_state, initialize_state
from agents.data_search.callbacks.stages import find_question
from agents.data_search.custom_types.data_state import ImgArtifact
from agents.data_search.image_size import read_image_size

logger = logging.getLogger(__name__)

_EXTENSIONS = {"image/jpeg": "jpg", "image/svg+xml": "svg"}


async def save_imgfile_artifact_before_agent_callback(callback_context: CallbackContext) -> None:
    """Save each image of the question as an artifact and list it in the state, once for an invocation."""
    state = initialize_state(callback_context.state, callback_context.invocation_id)
    content = callback_context.user_content
    if content is None or any(artifact.type == "img" for artifact in state.artifacts):
        return
    blobs = [part.inline_data for part in content.parts or [] if _is_image(part)]
    for number, blob in enumerate(blobs):
        if blob is not None and blob.data:
            await _save_image(callback_context, blob, number)


def _is_image(part: types.Part) -> bool:
    blob = part.inline_data
    return bool(blob and blob.data and (blob.mime_type or "").startswith("image/"))


async def _save_image(context: CallbackContext, blob: types.Blob, number: int) -> None:
    mime_type, data = blob.mime_type or "", blob.data or b""
    extension = _EXTENSIONS.get(mime_type, mime_type.removeprefix("image/").split("+")[0])
    filename = f"{context.invocation_id}_input_{number}.{extension}"
    try:
        await context.save_artifact(filename, types.Part.from_bytes(data=data, mime_type=mime_type))
    except (OSError, ValueError) as error:
        logger.warning("an image of the question could not be saved: %s", error)
        return
    artifact = ImgArtifact(
        filename=filename,
        mime_type=mime_type,
        user_query=find_question(context),
        img_size=read_image_size(data) or (0, 0),
    )
    add_artifact_to_state(context.state, context.invocation_id, artifact)
