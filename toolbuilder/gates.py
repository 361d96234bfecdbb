"""Who may see and change tools on their pages."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest

from access.roles.rights import Placed
from access.views.gates import SEE_CALLS, user_of

SEE_TOOLS = "tools.view_tooldefinition"
CHANGE_TOOLS = "tools.change_tooldefinition"
ADD_TOOLS = "tools.add_tooldefinition"
REVIEW_TOOLS = "toolbuilder.change_toolreview"
SEE_SOURCES = "catalog.view_datasource"


@dataclass(frozen=True, slots=True)
class ToolRights:
    """What the parts and buttons of a page depend on."""

    may_see: bool
    may_change: bool
    may_add: bool
    may_see_calls: bool
    may_see_sources: bool


def may_change(user: User, tool: Placed | None = None) -> bool:
    """Whether the user may change that tool, or some tool if none is given."""
    # The backend takes whatever has a name and tags, a draft's document too.
    placed: Any = tool
    return user.has_perm(CHANGE_TOOLS, placed)


def rights_of(request: HttpRequest, tool: Placed | None = None) -> ToolRights:
    """What the user may do, with that tool if there is one."""
    user = user_of(request)
    return ToolRights(
        may_see=user.has_perm(SEE_TOOLS),
        may_change=may_change(user, tool),
        may_add=user.has_perm(ADD_TOOLS),
        may_see_calls=user.has_perm(SEE_CALLS),
        may_see_sources=user.has_perm(SEE_SOURCES),
    )
