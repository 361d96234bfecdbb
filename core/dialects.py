"""What is otherwise in each dialect of SQL, as its lexer does not tell: one row for each, and the next one is one more."""

from dataclasses import dataclass

from core.toolspec import Dialect

# What MariaDB or MySQL refuses as a name beside what all do.
_MYSQL_WORDS = """
    accessible asensitive before bigint binary blob call cascade change char character condition continue
    convert cube cursor database databases dec decimal declare delayed delete describe deterministic
    distinctrow div double dual each elseif empty enclosed escaped exit explain float force fulltext
    function generated get groups hour_minute if ignore infile inout int integer interval iterate
    json_table key keys kill lag last_value lead leave lines linear load lock long loop match
    middleint mod modifies nth_value ntile of optimize option optionally out outfile over
    partition precision procedure purge range rank read reads real recursive regexp release rename
    repeat require resignal restrict return revoke rlike row row_number rows schema schemas
    sensitive separator show signal smallint spatial specific sql ssl starting stored straight_join
    system terminated text tinyint trigger undo unlock unsigned usage use utc_date utc_time
    utc_timestamp varbinary varchar varying virtual while write xor year_month zerofill offset
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialectRules:
    """Names: the `name_mark` around them, words that are none besides, whether any case means the same.

    `column_catalogue` lists all columns; `has_schemas` says that tables are named with one. `joined` is a
    format that makes one text of several, with `between` them. `list_query` is a format of a query that
    gives the items of a list, '' where IN takes the list otherwise; an absent list is NULL, which finds nothing.
    """

    name_mark: str = '"'
    reserved_words: frozenset[str] = frozenset()
    folds_names: bool = True
    column_catalogue: str = "information_schema.columns"
    has_schemas: bool = False
    between: str = " || "
    joined: str = "{}"
    list_query: str = ""


RULES: dict[Dialect, DialectRules] = {
    Dialect.POSTGRESQL: DialectRules(folds_names=False, has_schemas=True),
    Dialect.SQLITE: DialectRules(
        column_catalogue="pragma_table_info",
        list_query="SELECT value FROM json_each(coalesce({}, '[null]'))",
    ),
    Dialect.MYSQL: DialectRules(
        name_mark="`",
        reserved_words=frozenset(_MYSQL_WORDS.split()),
        between=", ",
        joined="CONCAT({})",
    ),
    Dialect.DUCKDB: DialectRules(
        has_schemas=True, list_query="SELECT unnest(coalesce({}, [NULL]))"
    ),
}
