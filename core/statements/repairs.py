"""One-click fixes of what a database refused: its own hint, or the nearest name that exists."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.catalogue.near_names import find_near
from core.catalogue.sql_names import quote_path
from core.diagnostics import Fix, use_fix
from core.dialects import find_rules
from core.errors import StatementError
from core.messages import message
from core.toolspec import Dialect

_NAME = r'(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|[^\W\d][\w$]*)'
_PATH = re.compile(rf"{_NAME}(?:\s*\.\s*{_NAME})*")
_PART = re.compile(r'"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|([^\W\d][\w$]*)')
_HINT = re.compile(r'Perhaps you meant to reference the (column|table alias) "([^"]+)"')
_DID_YOU_MEAN = re.compile(r"did you mean (\w+)")
# What queries call most, to find what a mistyped name meant.
_FUNCTIONS = """
abs age any_value array_agg array_append array_length array_position array_remove array_to_string
avg bit_length bool_and bool_or btrim cardinality ceil ceiling char_length character_length chr
coalesce concat concat_ws corr count cume_dist current_date current_time current_timestamp date_bin
date_part date_trunc degrees dense_rank div every exp extract first_value floor format
gen_random_uuid generate_series greatest initcap isfinite json_agg json_array_elements
json_array_length json_build_array json_build_object json_object_agg jsonb_agg jsonb_array_elements
jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
jsonb_each_text jsonb_object_agg jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_pretty
jsonb_set jsonb_typeof justify_days lag last_value lead least left length ln localtimestamp log
lower lpad ltrim make_date make_interval make_timestamp max md5 min mod mode now nth_value ntile
nullif octet_length overlay percent_rank percentile_cont percentile_disc pi plainto_tsquery position
power quote_ident quote_literal radians random rank regexp_count regexp_match regexp_matches
regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_slope repeat replace
reverse right round row_number row_to_json rpad rtrim sign similarity split_part sqrt starts_with
stddev stddev_pop stddev_samp string_agg string_to_array strpos substr substring sum to_char to_date
to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector translate trim trunc ts_rank unnest
upper var_pop var_samp variance websearch_to_tsquery width_bucket
"""
COMMON_FUNCTIONS = tuple(_FUNCTIONS.split())
_NO_COLUMN, _NO_TABLE, _NO_FUNCTION = "42703", "42P01", "42883"


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Names that exist: tables as SQL writes them, and the columns of each alias of the statement."""

    tables: Sequence[str] = ()
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)


def place_of(text: str, position: int | None) -> tuple[int, int]:
    """Start and end of what stands at the position: a name with what its dots join, or one character."""
    if position is None or not text:
        return 0, 0
    start = min(max(position, 0), len(text) - 1)
    match = _PATH.match(text, start)
    return match.span() if match else (start, start + 1)


def needs_tables(error: StatementError) -> bool:
    """Whether a fix may be found among the tables of the catalogue."""
    return find_code(error) == _NO_TABLE


def find_code(error: StatementError) -> str:
    """The SQLSTATE of what the database said, or of its words where it has no codes; else ''."""
    if error.code:
        return error.code
    known = (pair for dialect in Dialect for pair in find_rules(dialect).error_codes)
    return next((code for words, code in known if words in str(error)), "")


def find_fix(
    text: str,
    error: StatementError,
    known: KnownNames,
    dialect: Dialect = Dialect.POSTGRESQL,
) -> Fix | None:
    """The fix of an error at its position, or None where nothing near exists."""
    if error.position is None:
        return None
    start, end = place_of(text, error.position)
    if start == end:
        return None
    if text[error.position : error.position + 1] == ";":
        return Fix(message("fix.remove_rest", "Remove what follows"), error.position, len(text), "")
    path = [
        double.replace('""', '"') or tick.replace("``", "`") or plain
        for double, tick, plain in _PART.findall(text[start:end])
    ]
    insert = ""
    if hint := _HINT.search(error.hint):
        meant = hint[2].split(".") if hint[1] == "column" else [hint[2], *path[1:]]
        insert = quote_path(meant, dialect)
    elif path:
        insert = _find_nearest(path, find_code(error), known, dialect)
    if not insert or insert == text[start:end]:
        return None
    return use_fix(insert, start, end)


def find_word_fix(text: str, message: str, position: int | None) -> Fix | None:
    """The fix of a message that ends with `did you mean name?`, at its position."""
    meant = _DID_YOU_MEAN.search(message)
    if meant is None or position is None:
        return None
    match = re.compile(r"[^\W\d]\w*").match(text, position)
    return use_fix(meant[1], *match.span()) if match else None


def _find_nearest(path: list[str], code: str, known: KnownNames, dialect: Dialect) -> str:
    """What the path most likely meant; '' where nothing near exists."""
    match code:
        case "42703":
            alias = path[-2] if len(path) > 1 else ""
            of_alias = known.columns.get(alias)
            names = of_alias or [name for columns in known.columns.values() for name in columns]
            near = find_near(path[-1], list(dict.fromkeys(names)), 1)
            return quote_path([alias, *near] if of_alias and near else near, dialect)
        case "42P01":
            if len(path) > 1:
                # Of `alias.column` the alias that has the column, or else the nearest.
                having = [alias for alias, names in known.columns.items() if path[-1] in names]
                near = having if len(having) == 1 else find_near(path[0], list(known.columns), 1)
                if near:
                    return quote_path([near[0], *path[1:]], dialect)
            return next(iter(find_near(".".join(path), known.tables, 1)), "")
        case "42883":
            return next(iter(find_near(path[-1].lower(), COMMON_FUNCTIONS, 1)), "")
    return ""
