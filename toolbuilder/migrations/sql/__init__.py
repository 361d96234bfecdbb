"""What the database does by itself about drafts, versions, cases, reviews and replays."""

from access.audit.triggers import audited, name_in

# Versions cannot be changed, and outlive their tool.
REFUSE_CHANGES_OF_VERSIONS = """
CREATE FUNCTION toolbuilder_refuse_version_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A deleted tool leaves its versions behind: that alone may change, and nothing beside it.
    IF NEW.tool_id IS NULL AND to_jsonb(NEW) - 'tool_id' = to_jsonb(OLD) - 'tool_id' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a version of a tool cannot be changed; publish a new one'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE ON h_custom_tool_version
FOR EACH ROW EXECUTE FUNCTION toolbuilder_refuse_version_change();
"""
ALLOW_CHANGES_OF_VERSIONS = "DROP FUNCTION toolbuilder_refuse_version_change() CASCADE;"

# What a DELETE of the parent does, child, its column, parent.
LINKS = (
    ("CASCADE", "h_custom_tool_draft", "tool_id", "h_custom_tool"),
    ("SET NULL", "h_custom_tool_version", "tool_id", "h_custom_tool"),
    ("CASCADE", "h_custom_tool_trial", "tool_id", "h_custom_tool"),
    ("CASCADE", "h_custom_tool_trial", "draft_id", "h_custom_tool_draft"),
    ("CASCADE", "h_custom_tool_case", "tool_id", "h_custom_tool"),
    ("CASCADE", "h_custom_tool_case", "draft_id", "h_custom_tool_draft"),
    ("CASCADE", "h_custom_tool_nightly", "tool_id", "h_custom_tool"),
    ("CASCADE", "h_tool_review", "tool_id", "h_custom_tool"),
    ("SET NULL", "h_tool_review", "draft_id", "h_custom_tool_draft"),
    ("CASCADE", "h_tool_review_comment", "review_id", "h_tool_review"),
    ("CASCADE", "h_tool_review_comment", "parent_id", "h_tool_review_comment"),
    ("CASCADE", "h_tool_replay", "tool_id", "h_custom_tool"),
    ("CASCADE", "h_tool_replay_call", "replay_id", "h_tool_replay"),
    ("CASCADE", "h_custom_tool_file", "tool_id", "h_custom_tool"),
    ("CASCADE", "h_preferences", "user_id", "auth_user"),
)

# Arguments and answers are no business of the trail; that a case was changed shows in its hash.
_CONTENT = ("document", "golden")
_RESULT = (
    *("state", "failure", "failure_message", "difference", "answer", "elapsed_ms", "ran_at"),
    "logic_hash",
)
_TOOL = name_in("h_custom_tool", "tool_id", key="integer")
AUDITED = (
    audited(
        "h_custom_tool_case",
        f"concat_ws(': ', {_TOOL}, $1->>'name')",
        ignored=[*_CONTENT, *_RESULT],
    ),
    audited("h_custom_tool_nightly", _TOOL, ignored=["ran_at", "red_count"]),
    audited(
        "h_custom_tool_version",
        "concat_ws(' ', $1->>'tool_name', $1->>'number')",
        ignored=["document", "cases", "content_hash", "is_judged"],
        events=[("INSERT", "NEW.override_reason <> ''"), ("DELETE", "")],
    ),
    audited("h_tool_review"),
)
