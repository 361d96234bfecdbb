"""Rules that make rights of the claims of an access token: without a rule that fits there are none."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from math import isfinite

from core.bindings import is_claim_name
from core.grants import NOTHING, Grant
from core.toolspec import JsonValue

MAX_FACT_CHARACTERS = 1_000
MAX_FACT_ITEMS = 1_000
Claims = Mapping[str, object]


class ClaimTest(StrEnum):
    """How a claim is compared."""

    EQUALS = "equals"
    CONTAINS = "contains"
    MATCHES = "matches"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRule:
    """What a token is granted whose claim passes the test.

    `claim` is a name or a path such as realm_access.roles. `bound` has names of facts, each with the
    claim that it is copied from; `people_groups` are those of people who sign in to the pages.
    """

    id: int
    claim: str
    test: ClaimTest
    value: str
    grant: Grant = NOTHING
    bound: tuple[tuple[str, str], ...] = ()
    people_groups: frozenset[str] = frozenset()

    def fits(self, claims: Claims) -> bool:
        """Whether the claim passes.

        A list contains its items, a text itself and its words, as `scope` has them; a list equals or matches where
        one of its items does. Patterns have * and ?, capitals and small letters differ.
        """
        found = find_claim(claims, self.claim)
        if self.test is ClaimTest.CONTAINS and isinstance(found, str):
            # Some issuers send a list of one as a text, and a name may have blanks.
            return self.value in (found, *found.split())
        texts = _texts(found)
        if self.test is ClaimTest.MATCHES:
            # To fnmatch [eu] is one of two letters.
            pattern = self.value.replace("[", "[[]")
            return any(fnmatchcase(text, pattern) for text in texts)
        return self.value in texts


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRights:
    """What rules grant together: the ids of those that fit, the grant, facts for bound parameters, groups."""

    rules: tuple[int, ...] = ()
    grant: Grant = NOTHING
    facts: Mapping[str, JsonValue]
    people_groups: frozenset[str] = frozenset()


def apply_rules(rules: Iterable[ClaimRule], claims: Claims) -> TokenRights:
    """The rights of a token with these claims; where two rules give one fact, the first one does."""
    fitting = [rule for rule in rules if rule.fits(claims)]
    grants = [rule.grant for rule in fitting]
    tools = [grant.tools for grant in grants]
    sources = [grant.sources for grant in grants]
    facts: dict[str, JsonValue] = {}
    for name, path in (pair for rule in fitting for pair in rule.bound):
        value = _fact(find_claim(claims, path))
        if value is not None and is_claim_name(name):
            facts.setdefault(name, value)
    return TokenRights(
        rules=tuple(rule.id for rule in fitting),
        grant=Grant(
            tools=_union(tools),
            toolsets=frozenset().union(*(grant.toolsets for grant in grants)),
            groups=frozenset().union(*(grant.groups for grant in grants)),
            sources=_union(sources),
        ),
        facts=facts,
        people_groups=frozenset().union(*(rule.people_groups for rule in fitting)),
    )


def find_claim(claims: Claims, path: str) -> object:
    """The claim of this name, or at the end of this path of names between dots; None if there is none."""
    if path in claims:
        return claims[path]
    for index in (place for place, letter in enumerate(path) if letter == "."):
        inner = claims.get(path[:index])
        if isinstance(inner, Mapping):
            found = find_claim(inner, path[index + 1 :])
            if found is not None:
                return found
    return None


def _union(sets: list[frozenset[str] | None]) -> frozenset[str] | None:
    """All of them together; None is everything."""
    known = [names for names in sets if names is not None]
    return None if len(known) < len(sets) else frozenset().union(*known)


def _texts(value: object) -> list[str]:
    """The values of a claim as texts, as a person writes them in a rule."""

    def each() -> Iterator[str]:
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, bool):
                yield "true" if item else "false"
            elif isinstance(item, (str, int, float)):
                yield str(item)

    return list(each())


def _fact(value: object) -> JsonValue:
    """The value of a claim if a bound parameter may have it, as a key's claims are; None for any other."""
    match value:
        case bool():
            return value
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if isfinite(value):
            return value
        case str() if _is_fact_text(value):
            return value
        case list() if len(value) <= MAX_FACT_ITEMS and all(map(_is_fact_text, value)):
            return list(value)
    return None


def _is_fact_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_FACT_CHARACTERS and value.isprintable()
