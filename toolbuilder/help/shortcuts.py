"""What the keys of pages do, in words; the keys themselves are in static/web/shortcuts.js, where handlers read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class ShortcutGroup:
    """A part of a page that listens for keys, and what each of them does by its name."""

    label: Promise
    keys: Mapping[str, Promise]


SHORTCUTS: Mapping[str, ShortcutGroup] = MappingProxyType(
    {
        "everywhere": ShortcutGroup(
            _("Everywhere"),
            {
                "palette": _("the command palette: places, tools, tables, actions of this page"),
                "panes": _("the next pane; with Shift the one before"),
                "sheet": _("these keys"),
                "close": _("close what is open"),
            },
        ),
        "editor": ShortcutGroup(
            _("The logic"),
            {
                "run": _("test run"),
                "save": _("save now"),
                "publish": _("publish"),
                "format": _("format the statement"),
                "rename": _("rename the parameter everywhere"),
                "card": _("what is known of the name"),
                "complete": _("complete names"),
                "nextFault": _("next fault"),
                "lastFault": _("last fault"),
                "fix": _("take the fix"),
                "find": _("find and replace"),
                "comment": _("comment the line, or not"),
                "leave": _("leave the logic: Escape, then Tab"),
            },
        ),
        "explorer": ShortcutGroup(
            _("Tables"),
            {
                "insert": _("insert the name at the cursor"),
                "card": _("what is known of the column"),
                "star": _("favourite, or not"),
            },
        ),
        "grid": ShortcutGroup(
            _("Result"),
            {
                "detail": _("the cell beside the table; on a head: sort"),
                "copy": _("copy the cell"),
                "copyRow": _("copy the row as JSON"),
                "search": _("find in the rows"),
                "menu": _("menu of the cell or column"),
                "wider": _("another width of the column, on its head"),
            },
        ),
        "review": ShortcutGroup(
            _("Review"),
            {"next": _("next change"), "last": _("last change"), "comment": _("write a comment")},
        ),
        "playground": ShortcutGroup(
            _("Playground"),
            {"send": _("send"), "line": _("new line"), "stop": _("stop the answer")},
        ),
    }
)
