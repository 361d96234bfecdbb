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
# The rest of the answer is a sentence and two numbers.
_BUDGET = ANSWER_TOKENS - 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extent:
    """How much is shown of each table, and what is lost by it, in words."""

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
        names = sorted(known_tags)
        near = find_near(tag, names)
        meant = f"; did you mean {' or '.join(near)}?" if near else ";"
        shown = cut_text(tag, NAME_CHARACTERS)
        notice = f'No table has the tag "{shown}"{meant} known_tags lists those that exist.'
        return {"tables": [], "total": 0, "known_tags": names[:_SHOWN_TAGS], "notice": notice}
    extent = _choose_extent(entries)
    rows = _rows(entries, extent)
    if not extent.repeats_names:
        rows = rows[: count_fitting(rows, _BUDGET)]
    answer: dict[str, JsonValue] = {"tables": rows, "total": len(entries)}
    loss = extent.loss
    if left_out := len(entries) - len(rows):
        answer["left_out"] = left_out
        loss = f"{left_out} of {len(entries)} tables and {loss}"
    if loss:
        advice = "ask get_table_details for tables by name"
        if set(known_tags) - {tag}:
            another = "a tag" if tag is None else "a rarer tag"
            advice = f"filter by {another} to read more of fewer tables: get_tags lists the tags"
        answer["notice"] = f"To keep the answer within its size, {loss}; {advice}."
    return answer


def tags_answer(counts: Mapping[str, int]) -> dict[str, JsonValue]:
    """The answer of get_tags: tags that some table has, most used first, then by name."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {"tags": [{"name": name, "count": count} for name, count in ranked if count]}


def _choose_extent(entries: Sequence[TableSummary]) -> _Extent:
    """The most that fits. Weights of texts add up, so each is taken once and not once for each try."""
    loss = "descriptions, tags and display names that repeat the name are left out"
    bare = _Extent(has_tags=False, repeats_names=False, loss=loss)
    free = _BUDGET - weigh_json(_rows(entries, bare))
    free -= weigh_json([entry.name for entry in entries if not entry.display_name])
    if free < 0:
        return bare
    free -= weigh_json([entry.tags for entry in entries])
    if free < 0:
        return _Extent(has_tags=False, loss="descriptions and tags are left out")
    short = [first_sentences(entry.description, SHORT_CHARACTERS) for entry in entries]
    if weigh_json(short) <= free:
        return _Extent(descriptions=short)
    shorter = [first_sentences(text, SHORTER_CHARACTERS) for text in short]
    if weigh_json(shorter) <= free:
        return _Extent(descriptions=shorter, loss="descriptions are shortened")
    return _Extent(loss="descriptions are left out")


def _rows(entries: Sequence[TableSummary], extent: _Extent) -> list[dict[str, JsonValue]]:
    descriptions = extent.descriptions or [""] * len(entries)
    return [
        {
            "name": entry.name,
            "display_name": cut_text(entry.display_name, NAME_CHARACTERS)
            or (entry.name if extent.repeats_names else ""),
            "description": description,
            "tags": list(entry.tags) if extent.has_tags else [],
            "row_count": entry.row_count,
        }
        for entry, description in zip(entries, descriptions, strict=True)
    ]
