"""Names that a tool cannot have because the installation serves built-in tools under them."""

from django.conf import settings

BUILTIN_NAMES = frozenset(
    {
        "call_tool",
        "complete_column_extraction",
        "execute_postgres_query",
        "get_connection_info",
        "get_sql_reference_documents",
        "get_table_details",
        "get_tags",
        "get_text_embedding",
        "list_table_summaries",
        "sanitize_for_csv",
        "search_similar_documents",
        "search_tools",
    }
)


def read_reserved_names() -> frozenset[str]:
    """The names of the built-in tools that MCP_BUILTIN_TOOLS asks for."""
    wanted = set(settings.MCP_BUILTIN_TOOLS)
    return BUILTIN_NAMES if "all" in wanted else BUILTIN_NAMES & wanted
