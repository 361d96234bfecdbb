"""Every address with who may open it, and whether it shows something of a data source."""

from dataclasses import dataclass

WORD = "hiddenzx"
ALL, PERSON, STAFF, RIGHTS = "all", "person", "staff", "rights"


@dataclass(frozen=True, slots=True)
class Row:
    """Who may open the address at least, and whether it shows the word to those who may use the source.

    `asked` are parts of the address in place of those of the world, `query` follows it.
    """

    opens: str
    shows: bool = False
    query: str = ""


SHOWN = True
# Those of one row of the back office, by model: what the world has of it, and whether it is hidden.
ADMIN_MODELS = {
    "auth_group": False,
    "auth_user": False,
    "access_apikey": False,
    "access_callrecord": SHOWN,
    "access_runtimeinstance": False,
    "catalog_tag": SHOWN,
    "catalog_catalogtable": SHOWN,
    "catalog_catalogcolumn": SHOWN,
    "catalog_tablerelation": SHOWN,
    "catalog_catalogscan": SHOWN,
    "catalog_catalogquery": False,
    "catalog_mcpserver": False,
    "catalog_mcptool": False,
    "catalog_datasource": SHOWN,
    "catalog_referencedocument": False,
    "tools_tooldefinition": SHOWN,
}
_WORK_ACTIONS = (
    "analyse", "take-over", "discard", "operation", "test", "cancel", "plan", "csv", "publish", "changes",
    "cases", "case", "case-keep", "case-accept", "case-delete",
)  # fmt: skip

TABLE: dict[str, Row] = {
    "session": Row(ALL),
    "sign-in": Row(ALL),
    "sign-out": Row(ALL),
    "sign-on": Row(ALL),
    "sign-on-callback": Row(ALL),
    "set-theme": Row(ALL),
    "set_language": Row(ALL),
    "healthz": Row(ALL),
    # It asks for a token of its own.
    "metrics": Row(ALL),
    "help": Row(PERSON),
    "help-page": Row(PERSON),
    "help-image": Row(PERSON),
    **{f"help-{part}": Row(PERSON) for part in ("search", "pane", "reference", "keys", "tour")},
    "settings": Row(PERSON),
    "settings-person": Row(PERSON),
    "settings-password": Row(PERSON),
    "calls": Row(RIGHTS, SHOWN),
    "calls-export": Row(RIGHTS, SHOWN),
    "call": Row(RIGHTS, SHOWN),
    **{f"audit{end}": Row(RIGHTS) for end in ("", "-export", "-verify", "-entry")},
    **{name: Row(RIGHTS, SHOWN) for name in ("limits", "limits-export", "limit-new", "limit")},
    "limit-switch": Row(RIGHTS),
    "limit-delete": Row(RIGHTS),
    "people": Row(RIGHTS),
    "person-active": Row(RIGHTS),
    "person-password": Row(RIGHTS),
    "roles": Row(RIGHTS),
    "role-delete": Row(RIGHTS),
    "keys": Row(RIGHTS, SHOWN),
    "key-new": Row(RIGHTS, SHOWN),
    "key-tools": Row(RIGHTS, SHOWN, "?find=hidden"),
    "key": Row(RIGHTS, SHOWN),
    "key-rotate": Row(RIGHTS),
    "key-sees": Row(RIGHTS, SHOWN, "?show=sees"),
    "toolsets": Row(RIGHTS),
    "toolset": Row(RIGHTS, SHOWN),
    **{f"toolset-{end}": Row(RIGHTS) for end in ("new", "edit", "tools", "tags", "quality", "delete")},
    "key-revoke": Row(RIGHTS),
    "issuers": Row(RIGHTS),
    "token-try": Row(RIGHTS),
    **{f"issuer{end}": Row(RIGHTS) for end in ("", "-new", "-delete")},
    **{f"rule{end}": Row(RIGHTS) for end in ("", "-new", "-delete")},
    "home": Row(STAFF, SHOWN),
    "start": Row(STAFF),
    "start-key": Row(RIGHTS),
    "start-connected": Row(STAFF, SHOWN),
    "connect": Row(STAFF),
    "connect-key": Row(STAFF),
    "palette": Row(STAFF, SHOWN, "?q=hidden"),
    "preferences-layout": Row(STAFF),
    "preferences-filter": Row(RIGHTS),
    "preferences-table": Row(RIGHTS),
    "playground": Row(RIGHTS),
    **{f"playground-{end}": Row(RIGHTS) for end in ("agent", "ask", "step", "stop", "chat-delete", "call",
                                              "evaluation", "export", "question-add", "question-import",
                                              "question-remove", "run", "run-step", "run-stop")},
    "search-lab": Row(RIGHTS, SHOWN, "?q=hidden"),
    "search-questions": Row(RIGHTS, SHOWN),
    "search-question-add": Row(RIGHTS),
    "search-questions-run": Row(RIGHTS),
    "search-questions-export": Row(RIGHTS, SHOWN),
    "search-questions-import": Row(RIGHTS),
    "search-question-remove": Row(RIGHTS),
    "search-moves": Row(RIGHTS, SHOWN),
    "search-moves-measure": Row(RIGHTS),
    "search-traffic": Row(RIGHTS),
    "tools": Row(RIGHTS, SHOWN),
    "tool-new": Row(RIGHTS, SHOWN),
    "tool-from-sql": Row(RIGHTS),
    "tool-from-curl": Row(RIGHTS),
    "tools-ingest": Row(RIGHTS),
    "tools-import": Row(RIGHTS),
    "tools-export": Row(RIGHTS),
    "mcp-servers": Row(RIGHTS),
    "mcp-server-add": Row(RIGHTS),
    **{f"mcp-server{end}": Row(RIGHTS) for end in ("", "-read", "-tools", "-edit", "-delete")},
    "tools-active": Row(RIGHTS),
    "tools-archived": Row(RIGHTS),
    "tools-tagged": Row(RIGHTS),
    "tools-grouped": Row(RIGHTS),
    "tool-active": Row(RIGHTS),
    "proxied-active": Row(RIGHTS),
    "explorer": Row(RIGHTS, SHOWN, f"?source={WORD}-source"),
    "explorer-columns": Row(RIGHTS, SHOWN),
    "explorer-column": Row(RIGHTS, SHOWN),
    "explorer-card": Row(RIGHTS),
    "explanation": Row(RIGHTS),
    "explorer-schema": Row(RIGHTS, SHOWN, f"?source={WORD}-source"),
    "draft": Row(RIGHTS, SHOWN),
    "tool": Row(RIGHTS, SHOWN),
    **{f"{kind}-{action}": Row(RIGHTS) for kind in ("tool", "draft") for action in _WORK_ACTIONS},
    "draft-changes": Row(RIGHTS, SHOWN),
    "tool-case-nightly": Row(RIGHTS),
    "tool-try": Row(RIGHTS, SHOWN),
    "tool-duplicate": Row(RIGHTS),
    "tool-replay": Row(RIGHTS),
    **{f"replay{end}": Row(RIGHTS) for end in ("", "-advance", "-stop")},
    "reviews": Row(RIGHTS, SHOWN, "?show=open"),
    "review": Row(RIGHTS, SHOWN),
    **{f"review-{end}": Row(RIGHTS) for end in ("decide", "comment", "resolve")},
    "tool-versions": Row(RIGHTS),
    "tool-version": Row(RIGHTS, SHOWN),
    "tool-version-diff": Row(RIGHTS),
    "tool-version-restore": Row(RIGHTS),
    "tool-old-names": Row(RIGHTS),
    "tool-old-name": Row(RIGHTS),
    "catalogue": Row(STAFF, SHOWN),
    "catalogue-export": Row(STAFF, SHOWN),
    "catalogue-import": Row(RIGHTS),
    "catalogue-scans": Row(STAFF, SHOWN),
    "glossary": Row(STAFF),
    **{
        f"glossary-{end}": Row(RIGHTS)
        for end in ("add", "import", "note", "active", "reset", "terms")
    },
    "glossary-export": Row(STAFF),
    "catalogue-import-plan": Row(RIGHTS),
    "catalogue-import-apply": Row(RIGHTS),
    "catalogue-import-drop": Row(RIGHTS),
    "catalogue-scan-start": Row(RIGHTS),
    "catalogue-scan": Row(STAFF, SHOWN),
    "catalogue-scan-cancel": Row(RIGHTS),
    "catalogue-table-tags": Row(RIGHTS),
    "catalogue-table-hidden": Row(RIGHTS),
    "catalogue-relation-add": Row(RIGHTS),
    "catalogue-table-text": Row(RIGHTS, SHOWN),
    "catalogue-column-mask": Row(RIGHTS),
    "catalogue-column-text": Row(RIGHTS, SHOWN),
    "catalogue-relation-text": Row(RIGHTS, SHOWN),
    "catalogue-relation-remove": Row(RIGHTS),
    "catalogue-table": Row(STAFF, SHOWN),
    "sources": Row(RIGHTS, SHOWN),
    "source-add": Row(RIGHTS),
    "source": Row(RIGHTS, SHOWN),
    "source-check": Row(RIGHTS),
    "source-edit": Row(RIGHTS, SHOWN),
    "source-delete": Row(RIGHTS, SHOWN),
    "source-host-allow": Row(RIGHTS),
    "source-secret-keep": Row(RIGHTS),
    "source-secret-remove": Row(RIGHTS),
    "source-files": Row(RIGHTS),
    "source-file": Row(RIGHTS),
    "source-file-delete": Row(RIGHTS),
    **{f"catalogue_api:{name}": Row(PERSON, SHOWN) for name in ("tables", "tags", "connection", "table")},
    "admin:index": Row(STAFF),
    "admin:login": Row(ALL),
    "admin:logout": Row(ALL),
    "admin:password_change": Row(STAFF),
    "admin:password_change_done": Row(STAFF),
    "admin:autocomplete": Row(
        RIGHTS, SHOWN, "?app_label=catalog&model_name=tablerelation&field_name=table&term=hidden"
    ),
    "admin:jsi18n": Row(STAFF),
    "admin:view_on_site": Row(STAFF),
    "admin:app_list": Row(STAFF),
    "admin:auth_user_password_change": Row(RIGHTS),
    "admin:catalog_datasource_check": Row(RIGHTS, SHOWN),
    **{
        f"admin:{model}_{action}": Row(RIGHTS, shows and action != "add")
        for model, shows in ADMIN_MODELS.items()
        for action in ("changelist", "add", "history", "delete", "change")
    },
}  # fmt: skip
# Nobody may delete these, and of these no history was written.
for _name in ("access_callrecord_delete", "catalog_catalogscan_delete", "catalog_catalogscan_history",
              "catalog_tablerelation_delete", "catalog_tablerelation_history"):  # fmt: skip
    TABLE[f"admin:{_name}"] = Row(RIGHTS)
# Forms that name a table or a data source to choose from.
TABLE["admin:tools_tooldefinition_add"] = Row(RIGHTS, SHOWN)
