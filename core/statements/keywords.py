"""Words that, without quotes, are not names of tables and columns."""

_RESERVED = """
all analyse analyze and any array as asc asymmetric between both by case cast check collate column
constraint create cross current_catalog current_date current_role current_schema current_time
current_timestamp current_user default deferrable desc distinct do else end except exists false
fetch for foreign freeze from full grant group having ilike in initially inner intersect into is
isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset
on only or order outer overlaps placing primary references returning right select session_user
similar some symmetric table tablesample then to trailing true union unique user using values
variadic verbose when where window with
"""
RESERVED = frozenset(_RESERVED.split())
# Reserved words after which a name without AS is a label, as after any value.
_VALUE_WORDS = """
current_catalog current_date current_role current_schema current_time current_timestamp current_user
end false isnull localtime localtimestamp notnull null session_user true user
"""
VALUE_WORDS = frozenset(_VALUE_WORDS.split())
# Behind a value they are operators, so that another value follows; elsewhere they may be names.
OPERATOR_WORDS = frozenset({"escape", "glob", "match", "operator", "regexp", "zone"})
# What begins a query.
QUERY_WORDS = frozenset({"select", "with", "values", "table"})
# What follows a name that is no value: the next word names something else.
NAMING_WORDS = frozenset({"as", "collate", "over", "with"})
SET_WORDS = frozenset({"union", "intersect", "except"})
# What ends a list of tables.
CLAUSE_WORDS = frozenset(
    {"where", "group", "having", "order", "limit", "offset", "fetch", "window"}
)
# What may follow a table instead of an alias.
NO_ALIAS = RESERVED | {"indexed", "set"}
