"""Who may see and change tools on their pages."""

from dataclasses import dataclass

from django.http import HttpRequest

from access.views.gates import SEE_CALLS, user_of

SEE_TOOLS = "tools.view_tooldefinition"
CHANGE_TOOLS = "tools.change_tooldefinition"
ADD_TOOLS = "tools.add_tooldefinition"
SEE_SOURCES = "catalog.view_datasource"


@dataclass(frozen=True, slots=True)
class ToolRights:
    """What the parts and buttons of a page depend on."""

    may_see: bool
    may_change: bool
    may_add: bool
    may_see_calls: bool
    may_see_sources: bool


def rights_of(request: HttpRequest) -> ToolRights:
    """What the user may do."""
    user = user_of(request)
    return ToolRights(
        may_see=user.has_perm(SEE_TOOLS),
        may_change=user.has_perm(CHANGE_TOOLS),
        may_add=user.has_perm(ADD_TOOLS),
        may_see_calls=user.has_perm(SEE_CALLS),
        may_see_sources=user.has_perm(SEE_SOURCES),
    )
