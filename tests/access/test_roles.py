"""Roles given to people and groups: what they open, on which tools, and the page that gives them."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import IntegrityError, connection, transaction
from django.test import Client

from access.audit.models import AuditEntry
from access.models import CallRecord, RoleGrant, Toolset
from access.roles.rights import is_member
from tests.factories import make_tool, make_toolset
from toolbuilder.editing.drafts import open_draft
from toolbuilder.visibility import editable_tools, hidden_tool_names, visible_drafts, visible_tools
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db


def make_person(role: str, toolset: Toolset | None = None, name: str = "ann") -> User:
    user = User.objects.create_user(name)
    RoleGrant.objects.create(user=user, role=role, toolset=toolset)
    return user


def names(tools: "object") -> set[str]:
    assert hasattr(tools, "values_list")
    return set(tools.values_list("name", flat=True))


@pytest.fixture
def kr() -> Toolset:
    """Toolsets kr and us: `by_name` and `by_tag` in kr, `both` in the two, `american` in us, `alone` in none."""
    make_tool(name="by_name")
    make_tool(name="by_tag", tags=["korea"])
    make_tool(name="both", tags=["korea"])
    make_tool(name="american")
    make_tool(name="alone")
    make_toolset("us", "american", "both")
    return make_toolset("kr", "by_name", tags=["korea"])


def test_author_of_a_toolset_sees_its_tools_and_changes_those_of_no_other(kr: Toolset) -> None:
    author = make_person("author", kr)

    assert names(visible_tools(author)) == {"by_name", "by_tag", "both"}
    assert names(editable_tools(author)) == {"by_name", "by_tag"}
    assert hidden_tool_names(author) == {"american", "alone"}


def test_author_of_all_its_toolsets_changes_a_tool(kr: Toolset) -> None:
    author = make_person("author", kr)
    RoleGrant.objects.create(user=author, role="author", toolset=Toolset.objects.get(name="us"))

    author = User.objects.get(pk=author.pk)
    assert "both" in names(editable_tools(author))
    assert author.has_perm("tools.change_tooldefinition", ToolDefinition.objects.get(name="both"))


def test_role_over_all_beats_one_of_a_toolset(kr: Toolset) -> None:
    author = make_person("author", kr)
    RoleGrant.objects.create(user=author, role="viewer")

    author = User.objects.get(pk=author.pk)
    assert len(names(visible_tools(author))) == 5
    assert names(editable_tools(author)) == {"by_name", "by_tag"}


def test_rights_of_the_back_office_hold_over_all_beside_a_role(kr: Toolset) -> None:
    author = make_person("author", kr)
    author.user_permissions.set(Permission.objects.filter(codename="view_tooldefinition"))

    assert len(names(visible_tools(User.objects.get(pk=author.pk)))) == 5


def test_role_of_a_group_is_its_members(kr: Toolset) -> None:
    group = Group.objects.create(name="sellers")
    RoleGrant.objects.create(group=group, role="auditor")
    user = User.objects.create_user("ann")
    assert not is_member(user)

    user.groups.add(group)

    user = User.objects.get(pk=user.pk)
    assert is_member(user)
    assert user.has_perm("access.view_auditentry")


def test_role_of_a_deactivated_person_gives_nothing() -> None:
    user = make_person("administrator")
    user.is_active = False

    assert not user.has_perm("access.view_apikey")
    assert not is_member(user)


def test_list_palette_and_search_lab_show_tools_of_the_toolset_alone(
    kr: Toolset, client: Client
) -> None:
    client.force_login(make_person("author", kr))
    CallRecord.objects.create(tool_name="american", outcome="ok", duration_ms=1)

    for address in ("/tools/", "/palette/?q=a", "/search-lab/?q=american"):
        page = client.get(address).content.decode()
        assert "/tools/american/" not in page, address
        assert "/tools/alone/" not in page, address
    assert "/tools/by_tag/" in client.get("/tools/").content.decode()


def test_person_with_a_role_needs_not_be_of_the_staff(kr: Toolset, client: Client) -> None:
    client.force_login(make_person("viewer"))

    assert client.get("/").status_code == 200
    page = client.get("/tools/by_name/").content.decode()
    assert "by_name" in page
    assert client.get("/admin/").status_code == 302


def test_tools_of_others_are_left_alone_by_actions_on_several(kr: Toolset, client: Client) -> None:
    client.force_login(make_person("author", kr))
    ids = ToolDefinition.objects.values_list("pk", flat=True)

    client.post("/tools/~/active/", {"tool": list(ids), "active": "no"})

    assert names(ToolDefinition.objects.filter(is_active=False)) == {"by_name", "by_tag"}


def test_viewer_here_and_author_there_may_not_try_what_they_only_see(
    kr: Toolset, client: Client
) -> None:
    author = make_person("author", kr)
    RoleGrant.objects.create(user=author, role="viewer", toolset=Toolset.objects.get(name="us"))
    client.force_login(author)

    assert client.get("/tools/american/try/").status_code == 403
    assert client.post("/tools/american/analyse/").status_code == 403
    assert client.get("/tools/by_name/try/").status_code == 200


def test_drafts_of_tools_elsewhere_are_hidden(kr: Toolset) -> None:
    author = make_person("author", kr)
    open_draft(ToolDefinition.objects.get(name="american"), "bob")
    own = open_draft(ToolDefinition.objects.get(name="by_tag"), "bob")

    assert list(visible_drafts(author)) == [own]


def test_publishing_takes_no_tool_out_of_the_toolset(kr: Toolset, client: Client) -> None:
    client.force_login(make_person("author", kr))
    draft = open_draft(ToolDefinition.objects.get(name="by_tag"), "ann")
    draft.document["tags"] = []
    draft.save()

    response = client.post(
        "/tools/by_tag/publish/",
        {"revision": draft.revision, "confirmed": "1", "name": "by_tag", "tool_type": "SQL",
         "definition": "SELECT 1 AS one", "description_agent": "A tool of a test."},
    )  # fmt: skip

    assert response.status_code == 422
    assert "it would leave your toolsets" in response.content.decode()
    assert ToolDefinition.objects.get(name="by_tag").tags == ["korea"]


def test_administrator_gives_and_takes_roles(client: Client, kr: Toolset) -> None:
    client.force_login(make_person("administrator", name="root"))
    ann = User.objects.create_user("ann")

    client.post("/roles/", {"user": ann.pk, "role": "author", "toolset": kr.pk})

    grant = RoleGrant.objects.get(user=ann)
    assert (grant.role, grant.toolset) == ("author", kr)
    page = client.get("/roles/").content.decode()
    assert "ann" in page
    client.post(f"/roles/{grant.pk}/delete/")
    assert not RoleGrant.objects.filter(user=ann).exists()


@pytest.mark.parametrize("given", ["both", "none", "again"])
def test_form_refuses_what_is_no_role_of_one(client: Client, given: str) -> None:
    root = make_person("administrator", name="root")
    client.force_login(root)
    group = Group.objects.create(name="sellers")
    who = {"both": {"user": root.pk, "group": group.pk}, "none": {}, "again": {"user": root.pk}}

    response = client.post("/roles/", {**who[given], "role": "administrator"})

    assert response.status_code == 422
    assert RoleGrant.objects.count() == 1


def test_auditor_sees_roles_but_gives_none(client: Client) -> None:
    client.force_login(make_person("auditor"))

    assert "Give a role" not in client.get("/roles/").content.decode()
    assert client.post("/roles/", {"role": "administrator"}).status_code == 403


def test_same_role_twice_is_refused_by_the_database() -> None:
    user = make_person("author")

    with pytest.raises(IntegrityError), transaction.atomic():
        RoleGrant.objects.create(user=user, role="author")


@pytest.mark.usefixtures("own_trail")
@pytest.mark.django_db(transaction=True)
def test_giving_a_role_is_entered_in_the_trail_and_goes_with_the_person(client: Client) -> None:
    user = make_person("author")

    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM auth_user WHERE id = %s", [user.pk])

    assert not RoleGrant.objects.exists()
    trail = AuditEntry.objects.filter(kind="h_role_grant").order_by("number")
    assert [entry.action for entry in trail] == ["insert", "delete"]
    assert trail[0].target_name == "ann · author"
