"""What the steps of a plan do, in words that are those of no database."""

from core.messages import Message, message


def reading_all(table: str) -> Message:
    """Of a scan of a whole table."""
    return message("plan.seq_scan", "reads every row of {table}", table=table)


def finding_by_index(table: str, index: str) -> Message:
    """Of a look-up in an index, and then in its table."""
    return message(
        "plan.index_scan", "finds rows of {table} by the index {index}", table=table, index=index
    )


def reading_index(table: str, index: str) -> Message:
    """Of a scan of an index that has all that is asked for."""
    return message(
        "plan.index_only_scan",
        "reads the index {index} of {table}, without the table",
        table=table,
        index=index,
    )


def sorting(keys: str) -> Message:
    """Of a sort."""
    return message("plan.sort", "sorts by {keys}", keys=keys)
