"""Before the first agent: the first rows and columns of tables that came with the question, and its images."""

import asyncio
import logging
from typing import Final

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from agents.data_search.artifact_states import add_artifact_to_state
from agents.data_search.attached_tables import AttachmentError, read_attached_table
from agents.data_search.callbacks.stages import find_question
from agents.data_search.constants import ATTACHMENTS, TURNS
from agents.data_search.custom_types.data_state import TabularArtifact
from agents.data_search.image_size import read_image_size
from agents.data_search.tables import to_markdown

logger = logging.getLogger(__name__)

TABLE_TYPES: Final = {
    "text/csv": "csv",
    "application/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}


async def read_attachments_before_agent_callback(callback_context: CallbackContext) -> None:
    """Put the head of each attached CSV and XLSX, and the size of each image, into the state.

    The tables are saved as artifacts too, as images are. A file that cannot be read is named with the reason.
    """
    if callback_context.state.get(ATTACHMENTS):
        return
    content = callback_context.user_content
    described: list[str] = []
    for number, part in enumerate((content.parts if content else None) or []):
        blob = part.inline_data
        if blob is None or not blob.data:
            continue
        mime_type = (blob.mime_type or "").split(";")[0].strip().lower()
        name = blob.display_name or f"attachment {number + 1}"
        if mime_type.startswith("image/"):
            width, height = read_image_size(blob.data) or (0, 0)
            described.append(f"{name}: an image of {width} x {height} pixels")
        elif (name_end := name.rpartition(".")[2].lower()) in {
            "csv",
            "xlsx",
        } or mime_type in TABLE_TYPES:
            kind = TABLE_TYPES.get(mime_type, name_end)
            described.append(
                await _describe_table(
                    callback_context, blob.data, name=name, kind=kind, number=number
                )
            )
        else:
            described.append(f"{name}: cannot be read; attach CSV, XLSX or an image")
    if described:
        callback_context.state[ATTACHMENTS] = "\n\n".join(described)
    elif turns := callback_context.state.get(TURNS):
        # The reply to a question that was asked back speaks of the same files.
        callback_context.state[ATTACHMENTS] = turns[-1]["attachments"] if turns[-1]["asked"] else ""


def show_images_before_model_callback(
    callback_context: CallbackContext, llm_request: LlmRequest
) -> None:
    """Put the question's images back into the request, for a model that reads them."""
    content = callback_context.user_content
    parts = (content.parts if content else None) or []
    images = [
        part
        for part in parts
        if part.inline_data and (part.inline_data.mime_type or "").startswith("image/")
    ]
    if images:
        llm_request.contents.append(types.Content(role="user", parts=images))


async def _describe_table(
    context: CallbackContext, data: bytes, *, name: str, kind: str, number: int
) -> str:
    try:
        # A spreadsheet is unpacked and parsed, which would hold up other questions.
        attached = await asyncio.to_thread(read_attached_table, kind, data)
    except AttachmentError as error:
        return f"{name}: {error}"
    filename = f"{context.invocation_id}_input_{number}.{kind}"
    mime_type = next(known for known, ending in TABLE_TYPES.items() if ending == kind)
    artifact = TabularArtifact(
        filename=filename,
        mime_type=mime_type,
        user_query=find_question(context),
        data_length=attached.row_count,
    )
    try:
        await context.save_artifact(filename, types.Part.from_bytes(data=data, mime_type=mime_type))
        add_artifact_to_state(context.state, context.invocation_id, artifact)
    except (OSError, ValueError) as error:
        logger.warning("a file of the question could not be saved: %s", error)
    shown, total = len(attached.head.rows), attached.row_count
    title = f"{name}: a table of {attached.column_count} columns, {shown} of {total} rows shown"
    return f"{title}\n{to_markdown(attached.head)}"
