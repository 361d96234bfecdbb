"""Which part of the documentation helps with which pane or page; its text is what the drawer shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from toolbuilder.help.links import HelpTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpPane:
    """A pane, or a page: what it is called, the text on it, and the names of the addresses whose page it is."""

    label: Promise
    topic: HelpTopic
    pages: tuple[str, ...] = ()


PANES: Mapping[str, HelpPane] = MappingProxyType(
    {
        "explorer": HelpPane(label=_("Tables"), topic=HelpTopic("editor", "the-tables-beside-it")),
        "logic": HelpPane(label=_("Logic"), topic=HelpTopic("editor", "the-logic")),
        "parameters": HelpPane(label=_("Parameters"), topic=HelpTopic("editor", "parameters")),
        "describe": HelpPane(label=_("Describe"), topic=HelpTopic("editor", "what-describes-it")),
        "agent-view": HelpPane(
            label=_("What the agent sees"), topic=HelpTopic("editor", "what-the-agent-sees")
        ),
        "result": HelpPane(label=_("Result"), topic=HelpTopic("editor", "the-result")),
        "plan": HelpPane(label=_("Plan"), topic=HelpTopic("tools", "plans-and-their-cost")),
        "cases": HelpPane(label=_("Cases"), topic=HelpTopic("cases", "making-one")),
        "versions": HelpPane(
            label=_("Versions"),
            topic=HelpTopic("editor", "publishing-versions"),
            pages=("tool-versions", "tool-version", "tool-version-diff"),
        ),
        "old-names": HelpPane(
            label=_("Old names"), topic=HelpTopic("tools", "old-names"), pages=("tool-old-names",)
        ),
        "new-tool": HelpPane(
            label=_("New tool"),
            topic=HelpTopic("editor", "the-first-tool-click-by-click"),
            pages=("tool-new", "tool-from-sql", "tool-from-curl"),
        ),
        "tools": HelpPane(label=_("Tools"), topic=HelpTopic("tools", "the-list"), pages=("tools",)),
        "files": HelpPane(
            label=_("Tools as files"),
            topic=HelpTopic("tools-as-files", "import-in-the-browser"),
            pages=("tools-import",),
        ),
        "ingest": HelpPane(
            label=_("HTTP tools"),
            topic=HelpTopic("http-tools", "from-a-document-to-a-tool"),
            pages=("tools-ingest",),
        ),
        "dashboard": HelpPane(
            label=_("Dashboard"), topic=HelpTopic("operation", "the-dashboard"), pages=("home",)
        ),
        "connect": HelpPane(
            label=_("Connect an agent"),
            topic=HelpTopic("clients"),
            pages=("start", "connect"),
        ),
        "toolsets": HelpPane(
            label=_("Toolsets"),
            topic=HelpTopic("toolsets", "toolsets"),
            pages=("toolsets", "toolset", "toolset-new", "toolset-edit", "toolset-quality"),
        ),
        "sees": HelpPane(label=_("What it sees"), topic=HelpTopic("toolsets"), pages=("key-sees",)),
        "keys": HelpPane(
            label=_("Keys"), topic=HelpTopic("toolsets", "keys"), pages=("keys", "key-new")
        ),
        "limits": HelpPane(
            label=_("Limits"), topic=HelpTopic("limits"), pages=("limits", "limit-new", "limit")
        ),
        "issuers": HelpPane(
            label=_("Issuers"),
            topic=HelpTopic("oauth", "taking-tokens-of-an-issuer"),
            pages=("issuers", "issuer-new", "issuer"),
        ),
        "roles": HelpPane(
            label=_("Roles"), topic=HelpTopic("operation", "roles"), pages=("roles",)
        ),
        "people": HelpPane(
            label=_("People"), topic=HelpTopic("operation", "people"), pages=("people",)
        ),
        "calls": HelpPane(
            label=_("Calls"),
            topic=HelpTopic("operation", "the-record-of-calls"),
            pages=("calls", "call"),
        ),
        "audit": HelpPane(
            label=_("Audit trail"),
            topic=HelpTopic("operation", "audit-trail"),
            pages=("audit", "audit-entry"),
        ),
        "reviews": HelpPane(
            label=_("Reviews"),
            topic=HelpTopic("review", "the-page-of-a-review"),
            pages=("reviews", "review"),
        ),
        "replay": HelpPane(
            label=_("Replay of recorded calls"),
            topic=HelpTopic("review", "replay"),
            pages=("replay", "tool-replay"),
        ),
        "catalogue": HelpPane(
            label=_("Catalogue"),
            topic=HelpTopic("catalogue"),
            pages=("catalogue", "catalogue-table"),
        ),
        "scans": HelpPane(
            label=_("Scans"),
            topic=HelpTopic("catalogue", "scans"),
            pages=("catalogue-scans", "catalogue-scan"),
        ),
        "glossary": HelpPane(
            label=_("Glossary"), topic=HelpTopic("search-lab", "the-glossary"), pages=("glossary",)
        ),
        "search-lab": HelpPane(
            label=_("Search lab"),
            topic=HelpTopic("search-lab", "ask-as-an-agent-does"),
            pages=("search-lab",),
        ),
        "questions": HelpPane(
            label=_("Saved questions"),
            topic=HelpTopic("search-lab", "saved-questions"),
            pages=("search-questions",),
        ),
        "moves": HelpPane(
            label=_("What moved"),
            topic=HelpTopic("search-lab", "what-moved"),
            pages=("search-moves",),
        ),
        "searches": HelpPane(
            label=_("Agents' searches"),
            topic=HelpTopic("search-lab", "what-agents-searched"),
            pages=("search-traffic",),
        ),
        "playground": HelpPane(
            label=_("Playground"), topic=HelpTopic("playground", "the-chat"), pages=("playground",)
        ),
        "evaluation": HelpPane(
            label=_("Evaluation"), topic=HelpTopic("playground", "the-evaluation")
        ),
        "sources": HelpPane(
            label=_("Data sources"),
            topic=HelpTopic("operation", "data-sources"),
            pages=("sources", "source", "source-add", "source-edit"),
        ),
        "mcp-servers": HelpPane(
            label=_("MCP servers"),
            topic=HelpTopic("mcp-servers"),
            pages=("mcp-servers", "mcp-server", "mcp-server-add", "mcp-server-edit"),
        ),
        "settings": HelpPane(
            label=_("Settings"), topic=HelpTopic("reference/settings"), pages=("settings",)
        ),
    }
)
_PAGES = {page: name for name, pane in PANES.items() for page in pane.pages}


def find_pane(request: HttpRequest) -> str:
    """The name of the text on the page that is asked for, '' if there is none."""
    match = request.resolver_match
    return _PAGES.get(match.view_name, "") if match else ""
