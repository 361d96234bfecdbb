"""Roles: what each may do, over all tools or over those of a toolset."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What somebody is here for."""

    VIEWER = "viewer"
    AUTHOR = "author"
    REVIEWER = "reviewer"
    AUDITOR = "auditor"
    ADMINISTRATOR = "administrator"


class Verb(StrEnum):
    """What roles allow."""

    SEE_TOOLS = "see tools"
    EDIT_TOOLS = "edit tools"
    ADD_TOOLS = "add tools"
    REVIEW_TOOLS = "review tools"
    SEE_SOURCES = "see sources"
    EDIT_CATALOGUE = "edit the catalogue"
    SEE_CALLS = "see calls"
    SEE_AUDIT = "see the audit trail"
    SEE_ACCESS = "see who may call"
    MANAGE = "manage"


_EVERYBODY = frozenset(Role)
_AUTHORS = frozenset({Role.AUTHOR, Role.ADMINISTRATOR})
_AUDITORS = frozenset({Role.AUDITOR, Role.ADMINISTRATOR})
ROLES_OF: dict[Verb, frozenset[Role]] = {
    Verb.SEE_TOOLS: _EVERYBODY,
    Verb.EDIT_TOOLS: _AUTHORS,
    Verb.ADD_TOOLS: _AUTHORS,
    Verb.REVIEW_TOOLS: frozenset({Role.REVIEWER, Role.ADMINISTRATOR}),
    Verb.SEE_SOURCES: _EVERYBODY - {Role.VIEWER},
    Verb.EDIT_CATALOGUE: _AUTHORS,
    Verb.SEE_CALLS: _EVERYBODY - {Role.VIEWER},
    Verb.SEE_AUDIT: _AUDITORS,
    Verb.SEE_ACCESS: _AUDITORS,
    Verb.MANAGE: frozenset({Role.ADMINISTRATOR}),
}
# The others concern no tool, so a role of a toolset does not give them.
OF_TOOLS = frozenset({Verb.SEE_TOOLS, Verb.EDIT_TOOLS, Verb.REVIEW_TOOLS})


@dataclass(frozen=True, slots=True)
class RoleRight:
    """A role that somebody has; `toolset` None is over all."""

    role: Role
    toolset: str | None = None


def may(rights: Iterable[RoleRight], verb: Verb, toolset: str | None = None) -> bool:
    """Whether the rights allow it on the tools of the toolset, over all for None."""
    return any(
        right.role in ROLES_OF[verb]
        and (right.toolset is None or (verb in OF_TOOLS and right.toolset == toolset))
        for right in rights
    )


def may_anywhere(rights: Iterable[RoleRight], verb: Verb) -> bool:
    """Whether there may be a tool on which the rights allow it."""
    return any(may([right], verb, right.toolset) for right in rights)


def may_on_tool(rights: Collection[RoleRight], verb: Verb, toolsets: Collection[str]) -> bool:
    """Whether the rights allow it on a tool that is in these toolsets.

    To see it one of them is enough. To change it takes the right on all: the change is one of each.
    """
    if may(rights, verb):
        return True
    allowed = [may(rights, verb, toolset) for toolset in toolsets]
    return any(allowed) if verb is Verb.SEE_TOOLS else bool(allowed) and all(allowed)
