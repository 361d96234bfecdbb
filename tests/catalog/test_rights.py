"""Who may have tools on a data source, and that runtimes hear of a change."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from django.utils import timezone

from catalog.models import DataSource
from catalog.rights import may_use, require_use
from catalog.sources.settings import find_refusal, read_sources
from core.errors import DefinitionError
from core.toolspec import Dialect
from tests.catalog.conftest import MakeSource
from tools.models import RegistryRevision

pytestmark = pytest.mark.django_db


@pytest.fixture
def restricted(make_source: MakeSource) -> DataSource:
    """A source that the user `named` and the members of `analysts` may use."""
    source = make_source(is_restricted=True)
    group = Group.objects.create(name="analysts")
    source.allowed_groups.add(group)
    source.allowed_users.add(User.objects.create_user("named"))
    User.objects.create_user("member").groups.add(group)
    User.objects.create_user("other")
    User.objects.create_superuser("root")
    return source


@pytest.mark.parametrize(
    ("username", "may"), [("named", True), ("member", True), ("root", True), ("other", False)]
)
def test_restricted_source_is_for_those_named(
    restricted: DataSource, username: str, may: bool
) -> None:
    user = User.objects.get(username=username)

    assert may_use(user, restricted) is may
    assert (find_refusal(read_sources(), "sales", username) is None) is may


@pytest.mark.parametrize("username", ["named", "member", "root"])
def test_inactive_user_may_use_nothing(restricted: DataSource, username: str) -> None:
    User.objects.update(is_active=False)

    assert not may_use(User.objects.get(username=username), restricted)
    assert find_refusal(read_sources(), "sales", username)


def test_open_source_is_for_everybody(make_source: MakeSource) -> None:
    source = make_source()

    assert may_use(User.objects.create_user("other"), source)
    assert find_refusal(read_sources(), "sales", "") is None
    assert read_sources().users_of == {None: None, "sales": None}


def test_nobody_signed_in_may_use_nothing(make_source: MakeSource) -> None:
    assert not may_use(AnonymousUser(), make_source())


def test_refusal_says_who_and_what_would_be_right(restricted: DataSource) -> None:
    other = User.objects.get(username="other")

    with pytest.raises(DefinitionError) as caught:
        require_use(other, restricted)

    assert str(caught.value) == (
        "the user 'other' may not use the data source 'sales';"
        " a superuser can allow it on the data source's page"
    )
    assert find_refusal(read_sources(), "sales", "other") == caught.value.message


def test_tool_without_a_user_is_refused_on_a_restricted_source(restricted: DataSource) -> None:
    refusal = find_refusal(read_sources(), "sales", "")

    assert refusal is not None
    assert str(refusal).startswith("a tool that names no user may not use")


def test_default_source_needs_no_right() -> None:
    require_use(User.objects.create_user("other"), None)

    assert find_refusal(read_sources(), None, "other") is None


def test_unknown_source_is_refused_with_those_there_are(make_source: MakeSource) -> None:
    make_source()

    refusal = find_refusal(read_sources(), "sale", "other")

    assert str(refusal) == "there is no data source 'sale'; registered: sales"


def test_dialects_are_read_for_refused_sources_too(make_source: MakeSource) -> None:
    make_source("file", engine="sqlite", path="relative", host="", database="", username="")

    read = read_sources()

    assert read.dialects == {None: Dialect.POSTGRESQL, "file": Dialect.SQLITE}
    assert "absolute path" in str(read.refused["file"])


def test_reading_needs_a_fixed_number_of_queries(
    restricted: DataSource, make_source: MakeSource, django_assert_num_queries: Any
) -> None:
    for number in range(20):
        source = make_source(f"s{number}", is_restricted=True)
        source.allowed_users.set(User.objects.all())

    with django_assert_num_queries(6):
        read_sources()


def bump(change: Callable[[], object]) -> int:
    before = RegistryRevision.current()
    change()
    return RegistryRevision.current() - before


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda s: s.allowed_users.clear(), id="user no longer named"),
        pytest.param(
            lambda s: s.allowed_users.add(User.objects.get(username="other")), id="user named"
        ),
        pytest.param(lambda s: s.allowed_groups.clear(), id="group no longer named"),
        pytest.param(
            lambda s: User.objects.get(username="other").groups.add(Group.objects.get()),
            id="user joins a group",
        ),
        pytest.param(lambda s: Group.objects.all().delete(), id="group deleted"),
        pytest.param(
            lambda s: User.objects.filter(username="named").update(is_active=False),
            id="user deactivated",
        ),
        pytest.param(
            lambda s: User.objects.filter(username="named").update(username="renamed"),
            id="user renamed",
        ),
        pytest.param(
            lambda s: User.objects.filter(username="other").update(is_superuser=True),
            id="user made superuser",
        ),
        pytest.param(lambda s: User.objects.create_superuser("root2"), id="new superuser"),
        pytest.param(lambda s: User.objects.get(username="root").delete(), id="superuser deleted"),
        pytest.param(lambda s: User.objects.get(username="named").delete(), id="user deleted"),
        pytest.param(
            lambda s: DataSource.objects.update(is_restricted=False), id="no longer restricted"
        ),
    ],
)
def test_change_of_rights_bumps_the_revision(
    restricted: DataSource, change: Callable[[DataSource], object]
) -> None:
    assert bump(lambda: change(restricted)) >= 1


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda: User.objects.update(last_login=timezone.now()), id="log-in"),
        pytest.param(lambda: User.objects.get(username="other").save(), id="user saved unchanged"),
        pytest.param(lambda: User.objects.create_user("new"), id="new user without rights"),
    ],
)
def test_other_changes_of_users_do_not_bump_the_revision(
    restricted: DataSource, change: Callable[[], object]
) -> None:
    assert bump(change) == 0
