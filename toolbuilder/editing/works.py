"""What the editor works on: a tool with its draft, or the draft of one that was never published."""

import uuid
from dataclasses import dataclass, replace

from django.db import transaction
from django.urls import reverse

from core.errors import DefinitionError, StaleDraftError
from core.messages import message
from toolbuilder.editing.drafts import DraftDocument, PageState, open_draft, read_draft, save_draft
from toolbuilder.models import ToolDraft
from tools.definitions import ToolDocument
from tools.models import ToolDefinition
from tools.specs import read_plain_logic


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A working copy: `served` is what agents have now, None of a tool that was never published.

    `revision` is 0 while there is no draft; the first save makes one. `owner` is '' then.
    """

    tool: ToolDefinition | None
    draft: ToolDraft | None
    document: DraftDocument
    served: ToolDocument | None = None

    @property
    def revision(self) -> int:
        return self.draft.revision if self.draft else 0

    @property
    def owner(self) -> str:
        return self.draft.owner if self.draft else ""

    @property
    def is_changed(self) -> bool:
        """Whether it says something else than what is served."""
        return self.served is None or self.document.tool != self.served

    @property
    def address(self) -> str:
        """Of the editor's page."""
        if self.tool:
            return reverse("tool", kwargs={"name": self.tool.name})
        return reverse("draft", kwargs={"uid": self._uid})

    def action(self, name: str) -> str:
        """The address of one of the editor's actions, such as `analyse`."""
        if self.tool:
            return reverse(f"tool-{name}", kwargs={"name": self.tool.name})
        return reverse(f"draft-{name}", kwargs={"uid": self._uid})

    @property
    def actions(self) -> dict[str, str]:
        """The addresses of all actions by name, `_` for `-`."""
        names = ("analyse", "take-over", "discard", "test", "cancel", "plan", "csv", "publish")
        return {name.replace("-", "_"): self.action(name) for name in (*names, "changes")}

    @property
    def _uid(self) -> uuid.UUID:
        if self.draft is None:
            raise DefinitionError(message("draft.no_draft", "a work without a tool has a draft"))
        return self.draft.uid


def find_work(name: str | None = None, uid: uuid.UUID | None = None) -> Work | None:
    """The work on the tool of that name, or on the draft of that id; None if neither is there."""
    tools = ToolDefinition.objects.whole().select_related("quarantine")
    if uid is not None:
        draft = ToolDraft.objects.filter(uid=uid).first()
        tool = tools.filter(pk=draft.tool_id).first() if draft and draft.tool_id else None
        return _to_work(tool, draft) if draft else None
    tool = tools.filter(name=name).first()
    return _to_work(tool, ToolDraft.objects.filter(tool=tool).first()) if tool else None


def save_work(work: Work, document: DraftDocument, page_state: PageState) -> Work:
    """The work with this document, saved; what only repeats what is served makes no draft.

    Raises as save_draft does.
    """
    if work.draft is None and page_state.revision:
        raise StaleDraftError(
            message("draft.gone", "This draft is gone: it was published or discarded."), {}
        )
    if work.draft is None and document == work.document:
        return work
    with transaction.atomic():
        draft = work.draft
        if draft is None:
            draft = open_draft(work.tool, page_state.username)
            page_state = replace(page_state, revision=1)
        saved = save_draft(draft.uid, document.to_document(), page_state)
    return replace(work, draft=saved, document=document)


def _to_work(tool: ToolDefinition | None, draft: ToolDraft | None) -> Work:
    served = _plain(ToolDocument.of_row(tool)) if tool else None
    if draft is None:
        return Work(
            tool=tool,
            draft=None,
            document=DraftDocument(tool=served or ToolDocument()),
            served=served,
        )
    document = read_draft(draft)
    plain = replace(document, tool=_plain(document.tool))
    return Work(tool=tool, draft=draft, document=plain, served=served)


def _plain(snapshot: ToolDocument) -> ToolDocument:
    """The same with its logic as text, where another program wrote it as JSON."""
    definition, source = read_plain_logic(
        snapshot.tool_type, snapshot.definition, snapshot.data_source
    )
    return snapshot.replace(definition=definition, data_source=source)
