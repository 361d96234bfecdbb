"""Drafts, opened, saved against a revision, taken over, copied and discarded; and a tool with its draft."""

import uuid
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from core.errors import DefinitionError, DraftOwnedError, EditError, StaleDraftError
from core.messages import message
from core.toolspec import JsonValue
from toolbuilder.cases.rows import read_row, save_case
from toolbuilder.models import OPEN_STATES, ReviewState, ToolDraft, ToolReview
from tools.definitions import ToolDocument, require_storable
from tools.models import ToolDefinition
from tools.names import read_reserved_names
from tools.specs import read_plain_logic

TEST_VALUES = "test_values"
AUTO_TYPES = "auto_types"
AUTO_PRESENCE = "auto_presence"
_OWN = frozenset({TEST_VALUES, AUTO_TYPES, AUTO_PRESENCE})
MAX_NAME_CHARACTERS = 64
_ROOM_FOR_NUMBER = len("_9999")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageState:
    """Who writes, and the revision that their page shows.

    `page` is any text by which their page is known: what it saved itself is never stale to it.
    """

    username: str
    revision: int
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftDocument:
    """A tool that is being edited, and the arguments of its trials by parameter name.

    A name that is missing in `test_values` is an absent argument; None is null. `auto_types` names the
    parameters whose type follows from the logic until somebody chooses one, `auto_presence` those of
    which the logic says whether they are required.
    """

    tool: ToolDocument
    test_values: dict[str, JsonValue] = field(default_factory=dict)
    auto_types: tuple[str, ...] = ()
    auto_presence: tuple[str, ...] = ()

    def to_document(self) -> dict[str, JsonValue]:
        """As JSON: the tool's document with what the draft alone knows beside its fields."""
        own: dict[str, JsonValue] = {
            TEST_VALUES: self.test_values,
            AUTO_TYPES: list(self.auto_types),
            AUTO_PRESENCE: list(self.auto_presence),
        }
        return {**self.tool.to_document(), **own}


def read_draft_document(document: JsonValue) -> DraftDocument:
    """The draft that a document holds. Raises DefinitionError for what could not be stored."""
    if not isinstance(document, dict):
        raise DefinitionError(message("tool.no_object", "the tool must be a JSON object"))
    columns = {name: value for name, value in document.items() if name not in _OWN}
    values = document.get(TEST_VALUES, {})
    if not isinstance(values, dict):
        raise DefinitionError(
            message("tool.field_no_object", "{field} must be a JSON object", field=TEST_VALUES)
        )
    require_storable(values, TEST_VALUES)
    autos: dict[str, tuple[str, ...]] = {}
    for field_name in (AUTO_TYPES, AUTO_PRESENCE):
        names = document.get(field_name, [])
        if not isinstance(names, list | tuple) or any(not isinstance(name, str) for name in names):
            raise DefinitionError(
                message(
                    "tool.field_no_names", "{field} must be a JSON list of names", field=field_name
                )
            )
        require_storable(names, field_name)
        autos[field_name] = tuple(names)
    return DraftDocument(tool=ToolDocument.model_validate(columns), test_values=values, **autos)


def read_draft(draft: ToolDraft) -> DraftDocument:
    """What the draft holds; one from before drafts said it keeps of its calls what the tool keeps."""
    document = draft.document
    if isinstance(document, dict) and "record_arguments" not in document and draft.tool:
        document = {**document, "record_arguments": draft.tool.record_arguments}
    return read_draft_document(document)


def open_draft(
    tool: ToolDefinition | None, username: str, start: ToolDocument | None = None
) -> ToolDraft:
    """The tool's draft, of any owner, or a new one that says what is served.

    Without a tool it is the draft of a new one, which begins as `start` says.
    """
    if tool is None:
        return _create_draft(start or ToolDocument(), username)
    snapshot = ToolDocument.of_row(ToolDefinition.objects.whole().get(pk=tool.pk))
    columns = {
        **_columns_of(DraftDocument(tool=snapshot)),
        "base_version_hash": snapshot.content_hash,
        "owner": username,
    }
    return ToolDraft.objects.get_or_create(tool=tool, defaults=columns)[0]


def save_draft(uid: uuid.UUID, document: JsonValue, page_state: PageState) -> ToolDraft:
    """The draft with this document; one that says the same keeps its revision.

    Raises StaleDraftError, with the present document, when it is no longer at that revision or gone;
    DraftOwnedError when another user owns it; DefinitionError for what could not be stored.
    """
    given = read_draft_document(document)
    with transaction.atomic():
        draft = lock_draft(uid, page_state)
        if read_draft(draft) != given:
            draft.revision += 1
            draft.edited_in = page_state.page
            draft.authors = sorted({*draft.authors, page_state.username})
            for name, value in _columns_of(given).items():
                setattr(draft, name, value)
            draft.save()
    return draft


def open_as_draft(
    tool: ToolDefinition, document: Mapping[str, JsonValue], username: str
) -> ToolDraft:
    """The tool's draft, now of this user, with what an old version's document says.

    Raises EditError where there is a draft with changes, which would be lost.
    """
    with transaction.atomic():
        draft = open_draft(tool, username)
        if draft.is_changed:
            raise EditError(
                message(
                    "draft.there_already",
                    "There is a draft of this tool already; publish or discard it first.",
                )
            )
        draft = take_over(draft.uid, username)
        # Versions from before documents said it say nothing of what is recorded.
        whole = {"record_arguments": tool.record_arguments, **document}
        return save_draft(draft.uid, whole, PageState(username=username, revision=draft.revision))


def take_over(uid: uuid.UUID, username: str) -> ToolDraft:
    """The draft, now of this user; what its former owner saves after is refused as stale."""
    with transaction.atomic():
        draft = _find(uid)
        if draft.owner != username:
            draft.owner, draft.edited_in = username, ""
            draft.revision += 1
            draft.save()
    return draft


def discard_draft(uid: uuid.UUID, page_state: PageState) -> None:
    """Delete the draft; what is served stays. Raises as save_draft does."""
    with transaction.atomic():
        # The review before the draft, as those who decide lock them.
        reviews = ToolReview.objects.filter(draft__uid=uid, state__in=OPEN_STATES)
        reviews.update(
            state=ReviewState.WITHDRAWN,
            decided_by=page_state.username,
            decided_at=timezone.now(),
        )
        lock_draft(uid, page_state).delete()


def rebase_draft(uid: uuid.UUID, page_state: PageState) -> ToolDraft:
    """The draft, held from now on to be made from what is served now, which its user has looked at."""
    with transaction.atomic():
        draft = lock_draft(uid, page_state)
        if draft.tool_id is None:
            raise EditError(
                message(
                    "draft.never_published",
                    "This tool was never published; there is nothing to compare with.",
                )
            )
        served = ToolDocument.of_row(ToolDefinition.objects.whole().get(pk=draft.tool_id))
        draft.base_version_hash = served.content_hash
        draft.revision += 1
        draft.save()
    return draft


def follow_served(tool: ToolDefinition) -> None:
    """Let the tool's draft say what is served now, if it held no changes but only values of test runs.

    Pages that show what was served before are stale from here on: saving them would undo it.
    """
    for draft in ToolDraft.objects.unchanged().filter(tool=tool).select_for_update():
        served = ToolDocument.of_row(ToolDefinition.objects.whole().get(pk=tool.pk))
        if served.content_hash != draft.base_version_hash:
            followed = DraftDocument(tool=served, test_values=read_draft(draft).test_values)
            for name, value in _columns_of(followed).items():
                setattr(draft, name, value)
            draft.base_version_hash = served.content_hash
            draft.edited_in = ""
            draft.revision += 1
            draft.save()


def duplicate_tool(tool: ToolDefinition, username: str) -> ToolDraft:
    """The draft of a new tool that does the same under a free name, with copies of its test cases."""
    snapshot = ToolDocument.of_row(ToolDefinition.objects.whole().get(pk=tool.pk))
    copy = f"{snapshot.name[: MAX_NAME_CHARACTERS // 2]}_copy"
    with transaction.atomic():
        draft = _create_draft(snapshot.replace(name=choose_free_name(copy)), username)
        for row in tool.cases.all():
            case = read_row(row)
            # A version is one of the other tool.
            golden = replace(case.golden, version=0) if case.golden else None
            save_case(None, draft, replace(case, golden=golden), username)
    return draft


def choose_free_name(name: str) -> str:
    """The name, or `name_2` and so on: no tool, no draft and no built-in tool has it."""
    stem = name[: MAX_NAME_CHARACTERS - _ROOM_FOR_NUMBER]
    taken = {
        *ToolDefinition.objects.filter(name__startswith=stem).values_list("name", flat=True),
        *ToolDraft.objects.filter(name__startswith=stem).values_list("name", flat=True),
        *read_reserved_names(),
    }
    names = (stem if number == 1 else f"{stem}_{number}" for number in count(1))
    return next(free for free in names if free not in taken)


def lock_draft(uid: uuid.UUID, page_state: PageState) -> ToolDraft:
    """The draft, locked until the transaction ends. Raises as save_draft does."""
    draft = _find(uid)
    if draft.owner != page_state.username:
        text = message(
            "draft.owned",
            "{owner} is editing this tool; take the draft over to go on.",
            owner=draft.owner,
        )
        raise DraftOwnedError(text, draft.owner)
    is_own = bool(page_state.page) and draft.edited_in == page_state.page
    if draft.revision != page_state.revision and not is_own:
        text = message(
            "draft.saved_elsewhere",
            "This draft was saved elsewhere since you opened it; look at the difference.",
        )
        raise StaleDraftError(text, draft.document)
    return draft


def _find(uid: uuid.UUID) -> ToolDraft:
    try:
        return ToolDraft.objects.select_for_update().get(uid=uid)
    except ToolDraft.DoesNotExist:
        text = message("draft.gone", "This draft is gone: it was published or discarded.")
        raise StaleDraftError(text, {}) from None


def _create_draft(snapshot: ToolDocument, username: str) -> ToolDraft:
    columns = _columns_of(DraftDocument(tool=snapshot))
    return ToolDraft.objects.create(owner=username, **columns)


def _columns_of(document: DraftDocument) -> dict[str, JsonValue]:
    return {
        "name": document.tool.name,
        "document": document.to_document(),
        "content_hash": document.tool.content_hash,
    }


@dataclass(frozen=True, kw_only=True)
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

    @cached_property
    def actions(self) -> dict[str, str]:
        """The addresses of all actions by name, `_` for `-`."""
        names = ("analyse", "take-over", "discard", "operation", "test", "cancel", "plan", "csv")
        cases = ("cases", "case", "case-keep", "case-accept", "case-delete")
        found = {
            name.replace("-", "_"): self.action(name)
            for name in (*names, "publish", "changes", *cases)
        }
        return {**found, "xlsx": f"{found['csv']}?as=xlsx"}

    @property
    def _uid(self) -> uuid.UUID:
        if self.draft is None:
            raise DefinitionError(message("draft.no_draft", "a work without a tool has a draft"))
        return self.draft.uid


def find_work(name: str | None = None, uid: uuid.UUID | None = None) -> Work | None:
    """The work on the tool of that name, or on the draft of that id; None if neither is there."""
    if uid is None:
        tool = find_tool(name=name)
        return read_work(tool) if tool else None
    draft = ToolDraft.objects.filter(uid=uid).first()
    tool = find_tool(pk=draft.tool_id) if draft and draft.tool_id else None
    return _to_work(tool, draft) if draft else None


def find_tool(**wanted: str | int | None) -> ToolDefinition | None:
    """The tool of that name or `pk`, with all that the editor shows of it; None if there is none."""
    tools = ToolDefinition.objects.whole().select_related("quarantine", "file")
    return tools.filter(**wanted).first()


def read_work(tool: ToolDefinition) -> Work:
    """The work on a tool, with its draft if it has one."""
    return _to_work(tool, ToolDraft.objects.filter(tool=tool).first())


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
    # A draft that is there is saved in one transaction anyway.
    with transaction.atomic() if work.draft is None else nullcontext():
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
