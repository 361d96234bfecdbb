"""Bound parameters: values that the server gives, fixed or from what is known of the caller."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import MissingFactError
from core.grants import EVERYTHING, Grant
from core.messages import Message, Value, message
from core.toolspec import Binding, JsonValue, ParameterSpec

MAX_CLAIM_NAME_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerFacts:
    """What is known of a caller beside its arguments; texts are empty where unknown.

    `name` is that of the key, `owner` the user it belongs to. A claim is text, a number, a bool or a
    list of texts. `toolset` is that of the endpoint at which it calls, '' at that of all tools.
    `issuer` names who issued the caller's access token, which it has instead of a key.
    """

    key_id: str = ""
    name: str = ""
    owner: str = ""
    claims: Mapping[str, JsonValue] = field(default_factory=dict)
    grant: Grant = EVERYTHING
    toolset: str = ""
    issuer: str = ""


NOBODY = CallerFacts()


def is_bound(spec: ParameterSpec) -> bool:
    """Whether the server gives the parameter's value, so that agents neither see nor send it."""
    return spec.binding is not Binding.AGENT


def is_claim_name(name: object) -> bool:
    """Whether a claim may have this name: 1 to 100 visible characters, no blank at the ends."""
    return (
        isinstance(name, str)
        and 0 < len(name) <= MAX_CLAIM_NAME_CHARACTERS
        and name.isprintable()
        and name == name.strip()
    )


class ParameterBinder:
    """Finds the values of a tool's bound parameters."""

    __slots__ = ("_bound", "_tool_name")

    def __init__(self, tool_name: str, parameters: Iterable[ParameterSpec]) -> None:
        self._tool_name = tool_name
        self._bound = tuple(filter(is_bound, parameters))

    def values(self, facts: CallerFacts) -> dict[str, JsonValue]:
        """The values by name, as JSON and not yet validated; never null.

        Raises MissingFactError, naming every fact that the caller lacks.
        """
        found: dict[str, JsonValue] = {}
        for spec in self._bound:
            match spec.binding:
                case Binding.KEY_OWNER:
                    found[spec.name] = facts.owner or None
                case Binding.KEY_ID:
                    found[spec.name] = facts.key_id or None
                case Binding.CLAIM:
                    found[spec.name] = facts.claims.get(spec.bound_value)
                case _:
                    found[spec.name] = spec.bound_value
        if None in found.values():
            raise self._missing([spec for spec in self._bound if found[spec.name] is None], facts)
        return found

    def check_accepted(
        self, refused_names: Collection[str], callers_facts: CallerFacts = NOBODY
    ) -> None:
        """Raise MissingFactError when a bound value is among those that validation refused.

        Its text names the fact and not the value, nor what would be accepted: both are the administrator's.
        """
        named = {
            Binding.KEY_OWNER: message("key.the_owner", "the owner"),
            Binding.KEY_ID: message("key.the_id", "the id"),
        }
        refused = [spec for spec in self._bound if spec.name in refused_names]
        facts = [named.get(spec.binding) or _claim(spec) for spec in refused]
        if facts and callers_facts.issuer:
            raise MissingFactError(
                message(
                    "token.fact_refused",
                    "{tool} does not accept {facts} of your access token; ask your administrator",
                    tool=self._tool_name,
                    facts=_and(facts),
                )
            )
        if facts:
            raise MissingFactError(
                message(
                    "key.fact_refused",
                    "{tool} does not accept {facts} of your API key; ask your administrator",
                    tool=self._tool_name,
                    facts=_and(facts),
                )
            )

    def _missing(self, lacking: list[ParameterSpec], facts: CallerFacts) -> MissingFactError:
        owner = message("key.an_owner", "an owner")
        needed = [
            owner if spec.binding is Binding.KEY_OWNER else _claim(spec)
            for spec in lacking
            if spec.binding is not Binding.KEY_ID
        ]
        if facts.key_id:
            return MissingFactError(
                message(
                    "key.fact_missing",
                    "{tool} needs {facts}, which your API key does not have; ask your administrator",
                    tool=self._tool_name,
                    facts=_and(needed),
                )
            )
        if facts.issuer:
            lacked = needed or [message("key.any", "an API key")]
            return MissingFactError(
                message(
                    "token.fact_missing",
                    "{tool} needs {facts}, which your access token does not give; ask your administrator",
                    tool=self._tool_name,
                    facts=_and(lacked),
                )
            )
        key = message("key.any", "an API key")
        if needed:
            key = message("key.with_facts", "an API key with {facts}", facts=_and(needed))
        return MissingFactError(
            message(
                "key.none",
                "{tool} needs {key}, and this call was made without a key; ask your administrator",
                tool=self._tool_name,
                key=key,
            )
        )


def _claim(spec: ParameterSpec) -> Message:
    return message("key.the_claim", "the claim {name}", name=repr(spec.bound_value))


def _and(parts: Sequence[Message]) -> Value:
    # Two parameters may be bound to one fact.
    several = [part for index, part in enumerate(parts) if part not in parts[:index]]
    whole: Value = several[0]
    for part in several[1:]:
        whole = message("key.and", "{facts} and {fact}", facts=whole, fact=part)
    return whole
