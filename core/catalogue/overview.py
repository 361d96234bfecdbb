"""The first stage of the catalogue: every table in a few words, and the tags."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.catalogue.budgets import (
    ANSWER_TOKENS,
    NAME_CHARACTERS,
    SHORT_CHARACTERS,
    SHORTER_CHARACTERS,
    count_fitting,
    weigh_json,
)
from core.catalogue.entries import TableSummary
from core.catalogue.near_names import find_near
from core.catalogue.short_texts import cut_text, first_sentences
from core.toolspec import JsonValue

_SHOWN_TAGS = 500
# What stands around the tables is a sentence and two numbers.
_BUDGET = ANSWER_TOKENS - 500
_ALL_LOST = "descriptions, tags and display names that repeat the name are left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Telling:
    """How much is told of each table, and what is lost by it, in words."""

    descriptions: Sequence[str] = ()
    has_tags: bool = True
    repeats_names: bool = True
    loss: str = ""


def summaries_answer(
    entries: Sequence[TableSummary], known_tags: Collection[str], tag: str | None = None
) -> dict[str, JsonValue]:
    """The answer of list_table_summaries for `entries`, which have the tag, in their order.

    A table without a display name shows its name there. At most ANSWER_TOKENS: descriptions are
    shortened, then left out, then tags, then display names that repeat the name, then the last
    tables; a notice says so, and `total` counts all. An unknown tag gives no tables and the known tags.
    """
    if tag is not None and tag not in known_tags:
        return _unknown_tag_answer(tag, known_tags)
    telling = _choose(entries)
    rows = _rows(entries, telling)
    if not telling.repeats_names:
        rows = rows[: count_fitting(rows, _BUDGET)]
    advice = _advice(tag, known_tags)
    return _answer(rows, len(entries), telling.loss, advice)


def tags_answer(counts: Mapping[str, int]) -> dict[str, JsonValue]:
    """The answer of get_tags: tags that some table has, most used first, then by name."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {"tags": [{"name": name, "count": count} for name, count in ranked if count]}


def _choose(entries: Sequence[TableSummary]) -> _Telling:
    """The most that fits. Weights of texts add up, so each is taken once and not once for each try."""
    bare = _Telling(has_tags=False, repeats_names=False, loss=_ALL_LOST)
    free = _BUDGET - weigh_json(_rows(entries, bare))
    free -= weigh_json([entry.name for entry in entries if not entry.display_name])
    if free < 0:
        return bare
    free -= weigh_json([entry.tags for entry in entries])
    if free < 0:
        return _Telling(has_tags=False, loss="descriptions and tags are left out")
    return _choose_descriptions([entry.description for entry in entries], free)


def _choose_descriptions(descriptions: Sequence[str], free: float) -> _Telling:
    short = [first_sentences(text, SHORT_CHARACTERS) for text in descriptions]
    if weigh_json(short) <= free:
        return _Telling(descriptions=short)
    shorter = [first_sentences(text, SHORTER_CHARACTERS) for text in short]
    if weigh_json(shorter) <= free:
        return _Telling(descriptions=shorter, loss="descriptions are shortened")
    return _Telling(loss="descriptions are left out")


def _rows(entries: Sequence[TableSummary], telling: _Telling) -> list[dict[str, JsonValue]]:
    descriptions = telling.descriptions or [""] * len(entries)
    return [
        {
            "name": entry.name,
            "display_name": _display_name(entry, telling),
            "description": description,
            "tags": list(entry.tags) if telling.has_tags else [],
            "row_count": entry.row_count,
        }
        for entry, description in zip(entries, descriptions, strict=True)
    ]


def _display_name(entry: TableSummary, telling: _Telling) -> str:
    if entry.display_name:
        return cut_text(entry.display_name, NAME_CHARACTERS)
    return entry.name if telling.repeats_names else ""


def _answer(
    rows: list[dict[str, JsonValue]], total: int, loss: str, advice: str
) -> dict[str, JsonValue]:
    answer: dict[str, JsonValue] = {"tables": rows, "total": total}
    left_out = total - len(rows)
    if left_out:
        answer["left_out"] = left_out
        loss = f"{left_out} of {total} tables and {loss}"
    if loss:
        answer["notice"] = f"To keep the answer within its size, {loss}; {advice}."
    return answer


def _advice(tag: str | None, known_tags: Collection[str]) -> str:
    if set(known_tags) - {tag}:
        another = "a tag" if tag is None else "a rarer tag"
        return f"filter by {another} to read more of fewer tables: get_tags lists the tags"
    return "ask get_table_details for tables by name"


def _unknown_tag_answer(tag: str, known_tags: Collection[str]) -> dict[str, JsonValue]:
    names = sorted(known_tags)
    near = find_near(tag, names)
    meant = f"; did you mean {' or '.join(near)}?" if near else ";"
    shown = cut_text(tag, NAME_CHARACTERS)
    return {
        "tables": [],
        "total": 0,
        "known_tags": names[:_SHOWN_TAGS],
        "notice": f'No table has the tag "{shown}"{meant} known_tags lists those that exist.',
    }
