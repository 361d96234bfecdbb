"""Who a caller is to a database: settings for row-level security and a role, made of what is known of the caller."""

import json
import re
from dataclasses import dataclass
from functools import cached_property

from core.bindings import CallerFacts, ParameterBinder, is_claim_name
from core.errors import DefinitionError
from core.messages import message
from core.toolspec import Binding, JsonValue, ParameterSpec, ParameterType

# What PostgreSQL keeps of a name, in bytes, and how long a value may be.
NAME_BYTES, VALUE_CHARACTERS = 63, 8_192
MOST_SETTINGS = 20
# The setting that SET LOCAL ROLE sets.
ROLE = "role"
# It has a prefix, so that it is nobody's but the policies', and not one of the server's own extensions.
_SETTING = re.compile(r"(?!(?:pg|pl|auto_explain|session_preload)\w*\.)[a-z_]\w*(?:\.[a-z_]\w*)+")
_ROLE = re.compile(r"[^\W\d][\w$-]*")
_FACTS = {"owner": Binding.KEY_OWNER, "key_id": Binding.KEY_ID}
_CLAIM = "claim:"


@dataclass(frozen=True)
class CallerIdentity:
    """Rules: `settings` are pairs of a setting and the fact that it gets; `role` is the fact that names one of `roles`.

    A fact is `owner`, `key_id` or `claim:NAME`. Without a rule, every caller is the role of the data source.
    """

    settings: tuple[tuple[str, str], ...] = ()
    role: str = ""
    roles: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.settings or self.role)

    @cached_property
    def _binder(self) -> ParameterBinder:
        facts = (*self.settings, *([(ROLE, self.role)] if self.role else []))
        return ParameterBinder("The data source", [_to_spec(*pair) for pair in facts])

    def find_values(self, facts: CallerFacts) -> tuple[tuple[str, str], ...]:
        """Pairs of a setting and its value for this caller; the last one may be `role`.

        Raises MissingFactError for a fact that the caller lacks, or that cannot be what it is for.
        """
        found = [(name, _write(value)) for name, value in self._binder.values(facts).items()]
        refused = {
            name
            for name, text in found
            if not 0 < len(text) <= VALUE_CHARACTERS
            or "\0" in text
            or (name == ROLE and text not in self.roles)
        }
        self._binder.check_accepted(refused, facts)
        return tuple(found)


NO_IDENTITY = CallerIdentity()


def read_identity(text: str) -> CallerIdentity:
    """The rules as people write them, one a line: `app.tenant = claim:tenant`, `role = claim:team of kr, jp`.

    Raises DefinitionError for what could not be a rule.
    """
    settings: dict[str, str] = {}
    role, roles = "", tuple[str, ...]()
    for line in filter(None, map(str.strip, text.splitlines())):
        name, equals, fact = (part.strip() for part in line.partition("="))
        if name in settings or (name == ROLE and role) or len(settings) == MOST_SETTINGS:
            raise DefinitionError(
                message(
                    "identity.settings_count",
                    "write each setting once, and at most {limit} of them",
                    limit=MOST_SETTINGS,
                )
            )
        if name == ROLE and equals:
            role, _of, listed = (part.strip() for part in fact.rpartition(" of "))
            role, roles = _check_fact(role), tuple(map(str.strip, listed.split(",")))
        elif equals and _SETTING.fullmatch(name) and len(name.encode()) <= NAME_BYTES:
            settings[name] = _check_fact(fact)
        else:
            raise DefinitionError(
                message(
                    "identity.setting_form",
                    "{line}: write a setting with a prefix of your own and a fact of the caller, as in"
                    " app.tenant = claim:tenant, or role = claim:team of kr_reader, jp_reader",
                    line=repr(line[:100]),
                )
            )
    for name in roles:
        # SET ROLE NONE is the way back to the role of the data source.
        if not _ROLE.fullmatch(name) or len(name.encode()) > NAME_BYTES or name == "none":
            raise DefinitionError(
                message("identity.role_form", "{name} cannot be a role", name=repr(name[:100]))
            )
    return CallerIdentity(tuple(settings.items()), role, roles)


def _check_fact(fact: str) -> str:
    if fact in _FACTS or (fact.startswith(_CLAIM) and is_claim_name(fact.removeprefix(_CLAIM))):
        return fact
    raise DefinitionError(
        message(
            "identity.fact_form",
            "{fact}: write owner, key_id or claim:NAME, as in claim:tenant",
            fact=repr(fact[:100]),
        )
    )


def _to_spec(name: str, fact: str) -> ParameterSpec:
    claim = fact.removeprefix(_CLAIM) if fact.startswith(_CLAIM) else None
    binding = Binding.CLAIM if claim else _FACTS[fact]
    return ParameterSpec(name=name, type=ParameterType.STRING, binding=binding, bound_value=claim)


def _write(value: JsonValue) -> str:
    """As a policy reads it: texts as they are, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
