"""What a person may do by roles: Django's permissions answered from them, and which tools they reach."""

from dataclasses import dataclass
from typing import Any, Protocol

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q

from access.roles.models import RoleGrant, RoleName
from access.toolsets.models import read_toolsets
from core.grants import ToolsetSpec
from core.roles import Role, RoleRight, Verb, may, may_anywhere, may_on_tool

# Every other permission is an administrator's.
_VERBS = {
    "tools.view_tooldefinition": Verb.SEE_TOOLS,
    "tools.change_tooldefinition": Verb.EDIT_TOOLS,
    "tools.add_tooldefinition": Verb.ADD_TOOLS,
    "toolbuilder.change_toolreview": Verb.REVIEW_TOOLS,
    "catalog.view_datasource": Verb.SEE_SOURCES,
    "catalog.view_mcpserver": Verb.SEE_SOURCES,
    "catalog.change_catalogtable": Verb.EDIT_CATALOGUE,
    "catalog.add_catalogscan": Verb.EDIT_CATALOGUE,
    "access.view_callrecord": Verb.SEE_CALLS,
    "access.view_auditentry": Verb.SEE_AUDIT,
    "access.view_apikey": Verb.SEE_ACCESS,
    "access.view_toollimit": Verb.SEE_ACCESS,
    "access.view_rolegrant": Verb.SEE_ACCESS,
    "access.view_tokenissuer": Verb.SEE_ACCESS,
    "access.view_toolset": Verb.SEE_SOURCES,
}
_KEPT = "_role_rights"


class Placed(Protocol):
    """A tool, with what says in which toolsets it is."""

    @property
    def name(self) -> Any: ...

    @property
    def tags(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class ToolReach:
    """The tools on which somebody may do something: all, or those in `inside` and not in `outside`."""

    is_all: bool
    inside: tuple[ToolsetSpec, ...] = ()
    outside: tuple[ToolsetSpec, ...] = ()

    def filter(self, of_tool: str = "") -> Q:
        """Of tools, or of what has `of_tool` before the columns of its tool."""
        if self.is_all:
            return Q()
        return _in_one_of(self.inside, of_tool) & ~_in_one_of(self.outside, of_tool)

    def holds(self, tool: Placed) -> bool:
        """Whether it is one of them; as `filter`, for what no row defines."""
        if self.is_all:
            return True
        is_inside = any(_holds(spec, tool) for spec in self.inside)
        return is_inside and not any(_holds(spec, tool) for spec in self.outside)


class RoleBackend(ModelBackend):
    """Django's own rights, which hold over all, and those of the roles beside them.

    Without a tool a right that concerns tools is there if it may hold for one of them; with a tool
    it is there if it holds for that one.
    """

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        if not user_obj.is_active:
            return False
        if super().has_perm(user_obj, perm):
            return True
        verb = _VERBS.get(perm, Verb.MANAGE)
        if obj is None:
            return may_anywhere(rights_of(user_obj), verb)
        rights = rights_of(user_obj)
        toolsets = read_toolsets().values() if rights else ()
        return may_on_tool(rights, verb, [spec.name for spec in toolsets if _holds(spec, obj)])


def rights_of(user: User) -> frozenset[RoleRight]:
    """The person's roles and those of their groups; one query, kept with the person of a request."""
    kept: frozenset[RoleRight] | None = getattr(user, _KEPT, None)
    if kept is None:
        rows = RoleGrant.objects.filter(Q(user=user.pk) | Q(group__user=user.pk), role__in=RoleName)
        found = rows.order_by().values_list("role", "toolset__name")
        kept = frozenset(RoleRight(Role(role), toolset) for role, toolset in found)
        setattr(user, _KEPT, kept)
    return kept


def is_member(user: User | AnonymousUser) -> bool:
    """Whether the person may enter: one of the staff, or with any role."""
    return user.is_active and (user.is_staff or bool(rights_of(user)))


def tool_reach(user: User, perm: str) -> ToolReach:
    """The tools on which the person has that right, which is one on tools."""
    # Django's rights first: the page has read them already.
    if user.is_superuser or ModelBackend().has_perm(user, perm):
        return ToolReach(is_all=True)
    verb, rights = _VERBS[perm], rights_of(user)
    if may(rights, verb) or not rights:
        return ToolReach(is_all=True)
    toolsets = read_toolsets().values()
    inside = tuple(spec for spec in toolsets if may(rights, verb, spec.name))
    outside = tuple(spec for spec in toolsets if spec not in inside)
    return ToolReach(False, inside, () if verb is Verb.SEE_TOOLS else outside)


def _holds(toolset: ToolsetSpec, tool: Placed) -> bool:
    # Another program may have written something else than a list of tags.
    tags = tool.tags if isinstance(tool.tags, list | tuple) else ()
    return toolset.holds(tool.name, [tag for tag in tags if isinstance(tag, str)])


def _in_one_of(toolsets: tuple[ToolsetSpec, ...], of_tool: str) -> Q:
    found = Q(pk__in=[])
    for spec in toolsets:
        found |= Q(**{f"{of_tool}name__in": sorted(spec.tools)})
        if spec.tags:
            found |= Q(**{f"{of_tool}tags__has_any_keys": sorted(spec.tags)})
    return found
