"""Whether learning from use helps, and what one key can do: `python -m benchmarks.retrieval.learning`.

Some tools are needed far more often than others. For a month keys ask for them in the words of the tuning
half, and call a right tool among the five first, or now and then the first one. Then the same needs are
asked for in the words of the held-out half. A key that cheats calls one tool every day for 90 days after
questions with every concept that there is.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean

from benchmarks.fetched import FOLDER
from benchmarks.retrieval.check_data import read_data
from benchmarks.retrieval.embedded import EmbeddedTexts
from benchmarks.retrieval.measures import RESULTS
from benchmarks.retrieval.questions import Question, business_catalogue
from benchmarks.retrieval.systems import Prepared, make_index, prepare
from core.retrieval.learned_use import LearnedUse, weigh_uses
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery

DAYS, QUESTIONS_A_DAY = 30, 6
LOOKED_AT = 5
WRONG_CALLS = 0.1
HONEST_KEYS = (0, 1, 8)
CHEATS_TRIED = 8
CHEAT_DAYS = 90
SEEDS = range(1, 9)


@dataclass(frozen=True, slots=True)
class Needs:
    """How often each tool is needed, some far more often than others, and the questions of those called."""

    weights: Mapping[str, float]
    asked: Mapping[str, Sequence[Question]]

    @classmethod
    def draw(cls, questions: Iterable[Question], chance: random.Random) -> "Needs":
        """Needs by Zipf's law over tools in a random order; `questions` are those of the traffic."""
        asked: dict[str, list[Question]] = {}
        for question in questions:
            asked.setdefault(question.gold[0], []).append(question)
        names = sorted(asked)
        chance.shuffle(names)
        return cls({name: 1 / (place + 3) for place, name in enumerate(names)}, asked)


@dataclass(frozen=True, slots=True)
class Shop:
    """A catalogue with its ranker before anything was learned."""

    prepared: Prepared
    ranker: ToolRanker

    def query(self, question: Question) -> SearchQuery:
        """The question as it is searched."""
        vector = self.prepared.of_questions[question.id]
        return SearchQuery(question.text, vector, limit=RESULTS)

    def questions(self, half: str) -> list[Question]:
        """Those of a half."""
        return [each for each in self.prepared.catalogue.questions if each.half == half]

    def learned(self, uses: Iterable[LearnedUse]) -> ToolRanker:
        """The ranker after these uses."""
        return ToolRanker(make_index(self.prepared).with_priors(weigh_uses(uses)))

    def find(self, ranker: ToolRanker, questions: Sequence[Question]) -> list[list[str]]:
        """The names found for each question."""
        return [[tool.name for tool in ranker.rank(self.query(each))] for each in questions]


def simulate_traffic(
    shop: Shop, needs: Needs, key_count: int, chance: random.Random
) -> list[LearnedUse]:
    """What so many keys would have taught in a month, a key once a day for each tool and concept."""
    questions = [each for asked in needs.asked.values() for each in asked]
    found = dict(zip(questions, shop.find(shop.ranker, questions), strict=True))
    concepts = {each: shop.ranker.find_concepts(shop.query(each)) for each in questions}
    names, weights = list(needs.weights), list(needs.weights.values())
    days: dict[tuple[str, str, str], set[int]] = {}
    for key, day in product(range(key_count), range(DAYS)):
        for name in chance.choices(names, weights, k=QUESTIONS_A_DAY):
            question = chance.choice(needs.asked[name])
            looked_at = found[question][:LOOKED_AT]
            right = [tool for tool in looked_at if tool in question.gold]
            called = looked_at[:1] if chance.random() < WRONG_CALLS else right[:1]
            for concept in concepts[question] if called else ():
                days.setdefault((concept, called[0], f"{key}"), set()).add(day)
    return [LearnedUse(*use, len(on_days)) for use, on_days in days.items()]


@dataclass
class Hits:
    """Questions with a right tool first, and among five, by their weights."""

    first: float = 0.0
    among_five: float = 0.0
    total: float = 0.0
    count: int = 0

    def note(self, question: Question, names: Sequence[str], weight: float) -> None:
        """Count the names found for a question."""
        self.first += weight * (not set(names[:1]).isdisjoint(question.gold))
        self.among_five += weight * (not set(names[:5]).isdisjoint(question.gold))
        self.total += weight
        self.count += 1

    def __str__(self) -> str:
        first, among_five = self.first / self.total, self.among_five / self.total
        return f"R@1 {first:.3f}, R@5 {among_five:.3f} of {self.count // len(SEEDS)}"


def cheat(shop: Shop, tool_name: str) -> Iterator[LearnedUse]:
    """What one key teaches that calls one tool every day, whatever it asked for."""
    asked = (*shop.questions("tuning"), *shop.questions("held_out"))
    concepts = {
        concept for each in asked for concept in shop.ranker.find_concepts(shop.query(each))
    }
    return (LearnedUse(concept, tool_name, "cheat", CHEAT_DAYS) for concept in sorted(concepts))


def measure_help(shop: Shop, key_count: int) -> tuple[Hits, Hits]:
    """R@1 and R@5 of held-out questions: of needed tools, as often as they are needed, and of the others."""
    needed, others = Hits(), Hits()
    asked = shop.questions("held_out")
    for seed in SEEDS:
        chance = random.Random(seed)  # noqa: S311 - no secret
        needs = Needs.draw(shop.questions("tuning"), chance)
        ranker = shop.learned(simulate_traffic(shop, needs, key_count, chance))
        for question, names in zip(asked, shop.find(ranker, asked), strict=True):
            weight = max(needs.weights.get(name, 0.0) for name in question.gold)
            (needed if weight else others).note(question, names, weight or 1.0)
    return needed, others


def measure_cheating(shop: Shop, key_count: int) -> tuple[float, float, float]:
    """R@1 of held-out questions, and in which share of them the cheat's tool is wrongly first, before and after."""
    asked, chance = shop.questions("held_out"), random.Random(SEEDS[0])  # noqa: S311 - no secret
    needs = Needs.draw(shop.questions("tuning"), chance)
    honest = simulate_traffic(shop, needs, key_count, chance)
    usual = shop.find(shop.learned(honest), asked)
    hits, before, after = [], [], []
    for name in chance.sample(sorted(shop.prepared.of_tools), CHEATS_TRIED):
        found = shop.find(shop.learned([*honest, *cheat(shop, name)]), asked)
        for question, first, then in zip(asked, usual, found, strict=True):
            hits.append(float(then[0] in question.gold))
            if name not in question.gold:
                before.append(float(first[0] == name))
                after.append(float(then[0] == name))
    return fmean(hits), fmean(before), fmean(after)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    data, texts = read_data(), EmbeddedTexts(FOLDER)
    for name, tool_set in (("retailer", data.retailer), ("service", data.service)):
        prepared = prepare(business_catalogue(name, tool_set), texts)
        shop = Shop(prepared, ToolRanker(make_index(prepared)))
        for count in HONEST_KEYS:
            needed, others = measure_help(shop, count)
            print(f"{name}, {count} keys: needed {needed}; others {others}", flush=True)
            cheated = measure_cheating(shop, count)
            print("    a cheat: R@1 {:.3f}, wrongly first {:.4f} -> {:.4f}".format(*cheated))


if __name__ == "__main__":
    main()
