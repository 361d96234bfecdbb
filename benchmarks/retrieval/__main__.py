"""`python -m benchmarks.retrieval`: how well tools and columns are found, beside other rankers."""

import json
import platform
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.fetched import FOLDER, NotFetchedError, say_skipped
from benchmarks.retrieval.bfcl import bfcl_catalogues
from benchmarks.retrieval.check_data import DataSet, read_data
from benchmarks.retrieval.columns import measure_columns, prepare_columns
from benchmarks.retrieval.embedded import EmbeddedTexts
from benchmarks.retrieval.fetched import fetch_bfcl, fetch_github_document
from benchmarks.retrieval.measures import Answer, Figures, measure, recall_by, recall_by_pair
from benchmarks.retrieval.peers import ask_graph_tool_call, fastmcp_search
from benchmarks.retrieval.questions import (
    HALVES,
    Catalogue,
    Question,
    business_catalogue,
    github_catalogues,
)
from benchmarks.retrieval.speed import measure_speed
from benchmarks.retrieval.systems import Prepared, answer_all, our_systems, prepare

# Of the languages and kinds, which say most where an agent looks at a handful of tools.
DEPTH = 5
Tables = dict[str, dict[str, Figures]]


@dataclass(frozen=True, slots=True)
class Run:
    """What is measured: these halves, with or without the rankers of others."""

    halves: Sequence[str]
    has_peers: bool
    speed_tools: int

    def measure(self) -> dict[str, Any]:
        """All figures: by set and half, then by system."""
        texts, data = EmbeddedTexts(FOLDER), read_data()
        tables: Tables = {}
        for catalogue in read_catalogues(data):
            tables |= self._measure_tools(prepare(catalogue, texts))
        for each in data.columns:
            columns = prepare_columns(each, texts)
            for half in self.halves:
                tables[f"columns, {each.name}, {half}"] = measure_columns(columns, half)
        if self.speed_tools:
            tables[f"speed, {self.speed_tools:,} tools"] = measure_speed(self.speed_tools)
        return {"python": platform.python_version(), "tables": tables}

    def _measure_tools(self, prepared: Prepared) -> Tables:
        catalogue, tables = prepared.catalogue, {}
        for half in self.halves:
            questions = [each for each in catalogue.questions if each.half == half]
            answers = self._answer(prepared, questions)
            title = f"{catalogue.name}, {half}"
            tables[title] = {name: measure(found, catalogue) for name, found in answers.items()}
            tables[f"{title}: R@{DEPTH} by language of question and tool, and by kind"] = {
                name: _recall_by_group(found, catalogue) for name, found in answers.items()
            }
        return tables

    def _answer(self, prepared: Prepared, questions: Sequence[Question]) -> dict[str, list[Answer]]:
        systems = our_systems(prepared)
        if not self.has_peers:
            return {system.name: answer_all(system, questions) for system in systems}
        fastmcp = fastmcp_search(prepared.catalogue)
        answers = {system.name: answer_all(system, questions) for system in (*systems, fastmcp)}
        peer = ask_graph_tool_call(prepared.catalogue, questions, FOLDER)
        return answers | ({"graph-tool-call": peer} if peer else {})


def read_catalogues(data: DataSet) -> Iterator[Catalogue]:
    """The three invented businesses, GitHub's operations and BFCL, as far as they can be had."""
    yield business_catalogue("own", data.retailer)
    yield business_catalogue("service", data.service)
    yield business_catalogue("plant", data.plant)
    try:
        yield from github_catalogues(data, fetch_github_document(FOLDER))
    except NotFetchedError as error:
        say_skipped("GitHub's operations", error)
    try:
        yield from bfcl_catalogues(fetch_bfcl(FOLDER))
    except NotFetchedError as error:
        say_skipped("BFCL", error)


def _recall_by_group(answers: Sequence[Answer], catalogue: Catalogue) -> Figures:
    return {
        **recall_by_pair(answers, catalogue, DEPTH),
        **recall_by(answers, lambda question: question.language, DEPTH),
        **recall_by(answers, lambda question: question.kind, DEPTH),
    }


def print_tables(tables: Tables) -> None:
    """Each table as Markdown."""
    for title, rows in tables.items():
        names = list(next(iter(rows.values())))
        print(f"\n{title}\n\n| system | {' | '.join(names)} |\n|---{'|---' * len(names)}|")
        for system, figures in rows.items():
            print(f"| {system} | {' | '.join(_show(figures[name]) for name in names)} |")


def _show(figure: float) -> str:
    """Shares as .756, everything else with three digits that count."""
    is_share = isinstance(figure, float) and figure < 1
    return f"{figure:.3f}".removeprefix("0") if is_share else f"{figure:.3g}"


def main() -> None:
    parser = ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, "both"), default="both")
    parser.add_argument("--no-peers", action="store_true", help="the product's own systems only")
    parser.add_argument("--speed-tools", type=int, default=10_000, help="0: no speed")
    parser.add_argument("--json", type=Path, help="write all figures here")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    halves = HALVES if options.half == "both" else (options.half,)
    figures = Run(halves, not options.no_peers, options.speed_tools).measure()
    print_tables(figures["tables"])
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
