"""The way to the first tool and a connected agent, and how far somebody has come."""

from dataclasses import dataclass
from itertools import count
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from access.models import ApiKey
from access.reader_language import in_language
from catalog.models import CatalogTable
from catalog.rights import open_sources
from catalog.sources.settings import read_sources
from core.toolspec import SqlLogic, ToolSpec
from toolbuilder.editing.analysis import analyse
from toolbuilder.models import ToolDraft, ToolVersion, VersionOrigin
from toolbuilder.visibility import visible_drafts, visible_versions
from tools.models import ToolDefinition

KEY_NAME = "first-agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataState:
    """The default data source: whether it is set and answers now; what is known of it and of others."""

    is_set: bool
    trouble: str
    table_count: int
    source_count: int

    @property
    def is_ready(self) -> bool:
        """Whether there is data for a tool."""
        return (self.is_set and not self.trouble) or self.source_count > 0


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """A step of the way; `is_current` opens it."""

    id: str
    title: str
    is_done: bool
    is_current: bool

    @property
    def template(self) -> str:
        """What the step shows."""
        return f"toolbuilder/dashboard/_{self.id}.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What there is of the way from data to a connected agent; `draft` is the user's last new tool."""

    data: DataState
    draft: ToolDraft | None
    published: str
    is_connected: bool

    @property
    def done(self) -> dict[str, bool]:
        """The steps in order, and whether each is done."""
        return {
            "data": self.data.is_ready,
            "tool": bool(self.published or self.draft),
            "publish": bool(self.published),
            "connect": self.is_connected,
        }

    @property
    def current(self) -> str:
        """The step that comes next, '' when all is done."""
        return next((step for step, is_done in self.done.items() if not is_done), "")

    def list_steps(self, current: str) -> list[ProgressStep]:
        """The steps in order, of which this one is open."""
        titles = {
            "data": _("Data"),
            "tool": _("A tool"),
            "publish": _("Try and publish it"),
            "connect": _("Connect an agent"),
        }
        done = self.done
        return [
            ProgressStep(id_, title, done[id_], id_ == current) for id_, title in titles.items()
        ]


def needs_start() -> bool:
    """Whether nobody has published a tool in the editor yet; one query."""
    return not ToolVersion.objects.filter(origin=VersionOrigin.PUBLISHED).order_by().exists()


def read_invitation() -> dict[str, Any]:
    """What invites to the first tool: whether it is needed, and how many tools are active."""
    if not needs_start():
        return {"needs_start": False}
    return {"needs_start": True, "active_count": ToolDefinition.objects.served().count()}


def choose_key_name() -> str:
    """`first-agent`, or `first-agent-2` and so on: no key has it."""
    taken = set(ApiKey.objects.filter(name__startswith=KEY_NAME).values_list("name", flat=True))
    names = (KEY_NAME if number == 1 else f"{KEY_NAME}-{number}" for number in count(1))
    return next(free for free in names if free not in taken)


def read_progress(user: User) -> Progress:
    """How far this user, and the installation, have come; asks the default data source."""
    username = user.get_username()
    drafts = visible_drafts(user).filter(owner=username, tool=None)
    published = visible_versions(user).filter(origin=VersionOrigin.PUBLISHED).order_by("-pk")
    return Progress(
        data=read_data_state(user),
        draft=drafts.order_by("-updated_at").first(),
        published=published.values_list("tool_name", flat=True).first() or "",
        is_connected=ApiKey.objects.exclude(last_used_at=None).order_by().exists(),
    )


def read_data_state(user: User) -> DataState:
    """Of the default data source, which is asked, and how many others the user may use."""
    sources, username = read_sources(), user.get_username()
    is_set, trouble = None in sources.usable, ""
    if is_set:
        spec = ToolSpec(id=0, name="draft", logic=SqlLogic("SELECT 1"))
        found = analyse(spec, sources, username).diagnostics
        trouble = in_language(found[0].message) if found else ""
    open_names = open_sources(user).values_list("name", flat=True)
    return DataState(
        is_set=is_set,
        trouble=trouble,
        table_count=CatalogTable.objects.present().filter(source=None).count(),
        source_count=sum(name in sources.usable for name in open_names),
    )
