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
    images = [
        part.inline_data
        for part in content.parts or []
        if part.inline_data and (part.inline_data.mime_type or "").startswith("image/")
    ]
    for number, image in enumerate(image for image in images if image.data):
        mime_type, data = image.mime_type or "", image.data or b""
        extension = _EXTENSIONS.get(mime_type, mime_type.removeprefix("image/").split("+")[0])
        filename = f"{callback_context.invocation_id}_input_{number}.{extension}"
        part = types.Part.from_bytes(data=data, mime_type=mime_type)
        try:
            await callback_context.save_artifact(filename, part)
        except (OSError, ValueError) as error:
            logger.warning("an image of the question could not be saved: %s", error)
            continue
        artifact = ImgArtifact(
            filename=filename,
            mime_type=mime_type,
            user_query=find_question(callback_context),
            img_size=read_image_size(data) or (0, 0),
        )
        add_artifact_to_state(callback_context.state, callback_context.invocation_id, artifact)
