"""What roles allow, over all and by toolset."""

import pytest

from core.roles import OF_TOOLS, ROLES_OF, Role, RoleRight, Verb, may, may_anywhere, may_on_tool

AUTHOR_OF_KR = RoleRight(Role.AUTHOR, "kr")


def test_administrators_may_do_everything() -> None:
    rights = [RoleRight(Role.ADMINISTRATOR)]

    assert all(may(rights, verb) for verb in Verb)


@pytest.mark.parametrize(
    "verb", [Verb.EDIT_TOOLS, Verb.ADD_TOOLS, Verb.EDIT_CATALOGUE, Verb.MANAGE]
)
@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.AUDITOR])
def test_those_who_look_change_nothing(role: Role, verb: Verb) -> None:
    assert not may([RoleRight(role)], verb)


def test_every_verb_is_somebodys() -> None:
    assert set(ROLES_OF) == set(Verb)


def test_role_of_a_toolset_holds_on_its_tools_alone() -> None:
    assert may([AUTHOR_OF_KR], Verb.EDIT_TOOLS, "kr")
    assert not may([AUTHOR_OF_KR], Verb.EDIT_TOOLS, "us")
    assert not may([AUTHOR_OF_KR], Verb.EDIT_TOOLS)
    assert may_anywhere([AUTHOR_OF_KR], Verb.EDIT_TOOLS)


@pytest.mark.parametrize("verb", sorted(set(Verb) - OF_TOOLS))
def test_role_of_a_toolset_gives_nothing_that_concerns_no_tool(verb: Verb) -> None:
    rights = [RoleRight(role, "kr") for role in Role]

    assert not may(rights, verb, "kr")
    assert not may_anywhere(rights, verb)


def test_tool_in_several_toolsets_is_seen_with_one_and_changed_with_all() -> None:
    assert may_on_tool([AUTHOR_OF_KR], Verb.SEE_TOOLS, ["kr", "us"])
    assert not may_on_tool([AUTHOR_OF_KR], Verb.EDIT_TOOLS, ["kr", "us"])
    assert may_on_tool([AUTHOR_OF_KR, RoleRight(Role.AUTHOR, "us")], Verb.EDIT_TOOLS, ["kr", "us"])
    assert not may_on_tool([AUTHOR_OF_KR], Verb.EDIT_TOOLS, [])
