"""Addresses of the dashboard, of the pages of tools and of the editor."""

from collections.abc import Callable

from django.http import HttpResponseBase
from django.urls import URLPattern, path

from access.tool_names import SOURCES
from access.tool_names import TOOLS as OFFERED_TOOLS
from catalog.browsing.views import TABS
from catalog.files.keeping import COLUMN_USERS
from catalog.sources.cards import USES
from toolbuilder.beginning import views as new_tool
from toolbuilder.cases import views as cases
from toolbuilder.dashboard import connect_page, connecting
from toolbuilder.dashboard import views as dashboard
from toolbuilder.editing.views import explorer, publishing, trial, workbench
from toolbuilder.exchange import views as files
from toolbuilder.history import views as versions
from toolbuilder.listing import bulk_views as bulk
from toolbuilder.listing import views as tools
from toolbuilder.old_names import views as old_names
from toolbuilder.palette import views as palette
from toolbuilder.playground import evaluation_views as evaluation
from toolbuilder.playground import views as playground
from toolbuilder.preferences import views as preferences
from toolbuilder.replays import views as replays
from toolbuilder.reviews import views as reviews
from toolbuilder.search_lab import views as search_lab
from toolbuilder.taking_up.views import ingest, mcp_servers
from toolbuilder.toolsets import views as toolsets
from toolbuilder.toolsets.offering import list_offered_sources, list_offered_tools
from toolbuilder.uses.views import TOOLS, USED_BY, read_tools_of_columns

# What pages of the catalogue show of tools. Not when apps are ready: the served side has no pages.
TABS["tools"] = USED_BY
USES["tools"] = TOOLS
COLUMN_USERS["tools"] = read_tools_of_columns
# What pages of access let people choose.
OFFERED_TOOLS["tools"] = list_offered_tools
SOURCES["tools"] = list_offered_sources


def _of_tool(action: str, view: Callable[..., HttpResponseBase]) -> list[URLPattern]:
    """An action on a tool, which its name leads to."""
    return [path(f"tools/<str:name>/{action}/", view, name=f"tool-{action}")]


def _of_work(action: str, view: Callable[..., HttpResponseBase]) -> list[URLPattern]:
    """An action of the editor, on a tool or on the draft of one that was never published."""
    by_uid = path(f"tools/~/drafts/<uuid:uid>/{action}/", view, name=f"draft-{action}")
    return [*_of_tool(action, view), by_uid]


# No tool can be called "~", so no tool's page has the address of a form.
urlpatterns = [
    path("", dashboard.dashboard, name="home"),
    path("start/", connecting.start, name="start"),
    path("connect/", connect_page.connect, name="connect"),
    path("connect/<str:key_id>/", connect_page.connect_key, name="connect-key"),
    path("start/key/", connecting.start_key, name="start-key"),
    path("start/connected/<str:key_id>/", connecting.connected, name="start-connected"),
    path("palette/", palette.palette, name="palette"),
    path("preferences/layout/", preferences.layout, name="preferences-layout"),
    path("preferences/filter/", preferences.tool_filter, name="preferences-filter"),
    path(
        "preferences/tables/<int:table_id>/", preferences.favourite_table, name="preferences-table"
    ),
    path("playground/", playground.playground, name="playground"),
    path("playground/agent/", playground.agent, name="playground-agent"),
    path("playground/ask/", playground.chat_ask, name="playground-ask"),
    path("playground/chats/<int:chat_id>/step/", playground.chat_step, name="playground-step"),
    path("playground/chats/<int:chat_id>/stop/", playground.chat_stop, name="playground-stop"),
    path(
        "playground/chats/<int:chat_id>/delete/",
        playground.chat_delete,
        name="playground-chat-delete",
    ),
    path(
        "playground/chats/<int:chat_id>/calls/<int:entry>/<int:number>/",
        playground.chat_call,
        name="playground-call",
    ),
    path("playground/evaluation/", evaluation.evaluation, name="playground-evaluation"),
    path("playground/evaluation/csv/", evaluation.export, name="playground-export"),
    path("playground/questions/", evaluation.question_add, name="playground-question-add"),
    path(
        "playground/questions/import/",
        evaluation.question_import,
        name="playground-question-import",
    ),
    path(
        "playground/questions/<int:question_id>/remove/",
        evaluation.question_remove,
        name="playground-question-remove",
    ),
    path("playground/runs/", evaluation.run_start, name="playground-run"),
    path("playground/runs/<int:run_id>/step/", evaluation.run_step, name="playground-run-step"),
    path("playground/runs/<int:run_id>/stop/", evaluation.run_stop, name="playground-run-stop"),
    path("search-lab/", search_lab.search_lab, name="search-lab"),
    path("search-lab/questions/", search_lab.questions, name="search-questions"),
    path("search-lab/questions/add/", search_lab.question_add, name="search-question-add"),
    path("search-lab/questions/run/", search_lab.question_run, name="search-questions-run"),
    path(
        "search-lab/questions/export/", search_lab.question_export, name="search-questions-export"
    ),
    path(
        "search-lab/questions/import/", search_lab.question_import, name="search-questions-import"
    ),
    path(
        "search-lab/questions/<int:question_id>/remove/",
        search_lab.question_remove,
        name="search-question-remove",
    ),
    path("search-lab/moves/", search_lab.moves, name="search-moves"),
    path("search-lab/moves/measure/", search_lab.moves_measure, name="search-moves-measure"),
    path("search-lab/traffic/", search_lab.traffic, name="search-traffic"),
    path("toolsets/", toolsets.toolset_list, name="toolsets"),
    # No toolset can be called "~".
    path("toolsets/~/new/", toolsets.toolset_new, name="toolset-new"),
    path("toolsets/<str:name>/", toolsets.toolset_page, name="toolset"),
    path("toolsets/<str:name>/edit/", toolsets.toolset_edit, name="toolset-edit"),
    path("toolsets/<str:name>/tools/", toolsets.toolset_tools, name="toolset-tools"),
    path("toolsets/<str:name>/tags/", toolsets.toolset_tags, name="toolset-tags"),
    path("toolsets/<str:name>/quality/", toolsets.toolset_quality, name="toolset-quality"),
    path("toolsets/<str:name>/delete/", toolsets.toolset_delete, name="toolset-delete"),
    path("keys/<int:key_pk>/sees/", toolsets.key_sees, name="key-sees"),
    path("tools/", tools.tool_list, name="tools"),
    path("tools/~/new/", new_tool.new_tool, name="tool-new"),
    path("tools/~/from-sql/", new_tool.from_sql, name="tool-from-sql"),
    path("tools/~/from-curl/", new_tool.from_curl, name="tool-from-curl"),
    path("tools/~/ingest/", ingest.ingest, name="tools-ingest"),
    path("tools/~/export/", files.export_tools, name="tools-export"),
    path("tools/~/import/", files.import_tools, name="tools-import"),
    path("tools/~/mcp/", mcp_servers.server_list, name="mcp-servers"),
    path("tools/~/mcp/~new/", mcp_servers.server_add, name="mcp-server-add"),
    path("tools/~/mcp/<str:name>/", mcp_servers.server_page, name="mcp-server"),
    path("tools/~/mcp/<str:name>/read/", mcp_servers.server_read, name="mcp-server-read"),
    path("tools/~/mcp/<str:name>/tools/", mcp_servers.server_tools, name="mcp-server-tools"),
    path("tools/~/mcp/<str:name>/edit/", mcp_servers.server_edit, name="mcp-server-edit"),
    path("tools/~/mcp/<str:name>/delete/", mcp_servers.server_delete, name="mcp-server-delete"),
    path("tools/~/active/", bulk.tools_active, name="tools-active"),
    path("tools/~/archived/", bulk.tools_archived, name="tools-archived"),
    path("tools/~/tagged/", bulk.tools_tagged, name="tools-tagged"),
    path("tools/~/grouped/", bulk.tools_grouped, name="tools-grouped"),
    path("tools/~/<int:tool_id>/active/", tools.tool_active, name="tool-active"),
    path("tools/~/proxied/<int:tool_id>/active/", tools.proxied_active, name="proxied-active"),
    path("tools/~/explorer/", explorer.tables, name="explorer"),
    path("tools/~/explorer/<int:table_id>/", explorer.columns, name="explorer-columns"),
    path("tools/~/explorer/columns/<int:column_id>/", explorer.column, name="explorer-column"),
    path("tools/~/card/", explorer.card, name="explorer-card"),
    path("tools/~/explanations/<str:rule>/", workbench.explanation, name="explanation"),
    path("tools/~/schema/", explorer.schema, name="explorer-schema"),
    path("tools/~/drafts/<uuid:uid>/", workbench.workbench, name="draft"),
    path("tools/<str:name>/", workbench.workbench, name="tool"),
    *_of_work("analyse", workbench.analyse),
    *_of_work("take-over", workbench.take_over),
    *_of_work("discard", workbench.discard),
    *_of_work("operation", workbench.operation),
    *_of_work("test", trial.test),
    *_of_work("cancel", trial.cancel),
    *_of_work("plan", trial.plan),
    *_of_work("csv", trial.csv),
    *_of_work("publish", publishing.publish),
    *_of_work("changes", publishing.changes),
    *_of_work("cases", cases.run),
    *_of_work("case", cases.edit),
    *_of_work("case-keep", cases.keep),
    *_of_work("case-accept", cases.accept),
    *_of_work("case-delete", cases.delete),
    *_of_tool("case-nightly", cases.nightly),
    *_of_tool("try", trial.drawer),
    *_of_tool("duplicate", publishing.duplicate),
    *_of_tool("replay", replays.tool_replay),
    path("reviews/", reviews.review_list, name="reviews"),
    path("reviews/<int:review_id>/", reviews.review_page, name="review"),
    path("reviews/<int:review_id>/decide/", reviews.review_decide, name="review-decide"),
    path("reviews/<int:review_id>/comment/", reviews.review_comment, name="review-comment"),
    path(
        "reviews/<int:review_id>/comments/<int:comment_id>/resolve/",
        reviews.review_resolve,
        name="review-resolve",
    ),
    path("tools/~/replays/<int:replay_id>/", replays.replay_page, name="replay"),
    path("tools/~/replays/<int:replay_id>/go/", replays.replay_advance, name="replay-advance"),
    path("tools/~/replays/<int:replay_id>/stop/", replays.replay_stop, name="replay-stop"),
    *_of_tool("versions", versions.version_list),
    *_of_tool("old-names", old_names.old_names),
    path(
        "tools/<str:name>/old-names/<int:alias_id>/",
        old_names.old_name_change,
        name="tool-old-name",
    ),
    path("tools/<str:name>/versions/<int:number>/", versions.version_page, name="tool-version"),
    path(
        "tools/<str:name>/versions/<int:number>/diff/",
        versions.version_difference,
        name="tool-version-diff",
    ),
    path(
        "tools/<str:name>/versions/<int:number>/restore/",
        versions.version_restore,
        name="tool-version-restore",
    ),
]
