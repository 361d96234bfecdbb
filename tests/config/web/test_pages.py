"""The shell, error pages and messages."""

import json

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.contrib.messages import add_message, constants
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.test import Client, RequestFactory
from django.views.defaults import bad_request, server_error
from django_htmx.middleware import HtmxDetails

from config.web.navigation import PLACES, list_navigation
from config.web.partial_answers import PartialAnswerMiddleware, refuse_request
from tests.factories import make_tool


def speaking(answer: HttpResponse, *, htmx: bool = True) -> HttpResponse:
    """What the middleware makes of `answer` when its view said "Saved."."""

    def view(request: HttpRequest) -> HttpResponse:
        add_message(request, constants.SUCCESS, "저장했습니다")
        return answer

    request = RequestFactory().post("/", headers={"HX-Request": "true"} if htmx else {})
    request.user = User(username="ann")
    request.session = SessionStore()
    request._messages = FallbackStorage(request)  # type: ignore[attr-defined]
    request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]
    return PartialAnswerMiddleware(view)(request)


def test_messages_reach_htmx_as_toasts() -> None:
    response = speaking(HttpResponse("fragment"))

    toasts = json.loads(response["HX-Trigger"])["toast"]["toasts"]
    assert toasts == [{"level": "success", "text": "저장했습니다"}]


@pytest.mark.parametrize(
    ("answer", "htmx"),
    [
        pytest.param(HttpResponse("page"), False, id="whole page"),
        pytest.param(HttpResponseRedirect("/catalogue/"), True, id="redirect"),
        pytest.param(HttpResponse(headers={"HX-Redirect": "/"}), True, id="redirect of htmx"),
        pytest.param(HttpResponse(headers={"HX-Refresh": "true"}), True, id="refresh"),
    ],
)
def test_messages_wait_for_the_next_page(answer: HttpResponse, htmx: bool) -> None:
    assert "HX-Trigger" not in speaking(answer, htmx=htmx)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("columns", "rights", "labels"),
    [
        pytest.param(
            {"is_staff": True},
            [],
            ["Dashboard", "Catalogue", "Glossary", "Settings", "Back office"],
            id="staff",
        ),
        pytest.param(
            {"is_staff": True},
            ["view_tooldefinition", "view_callrecord", "view_apikey"],
            [
                "Dashboard",
                "Tools",
                "MCP servers",
                "Playground",
                "Search lab",
                "Catalogue",
                "Glossary",
                "Calls",
                "Access",
                "Settings",
                "Back office",
            ],
            id="staff with rights",
        ),
        pytest.param({}, ["view_tooldefinition"], [], id="others"),
    ],
)
def test_sidebar_holds_what_the_person_may_open(
    columns: dict[str, bool], rights: list[str], labels: list[str]
) -> None:
    request = RequestFactory().get("/catalogue/main_db/public.stores/")
    request.user = User.objects.create(username="ann", **columns)
    request.user.user_permissions.set(Permission.objects.filter(codename__in=rights))

    items = list_navigation(request)

    assert [str(item.label) for item in items] == labels
    assert [str(item.label) for item in items if item.is_current] == ["Catalogue"][: len(items)]


@pytest.mark.django_db
def test_sidebar_counts_tools() -> None:
    request = RequestFactory().get("/")
    request.user = User.objects.create_superuser("ann")
    make_tool()

    items = {str(item.label): item for item in list_navigation(request)}

    assert items["Tools"].count == 1
    assert [label for label, item in items.items() if item.is_current] == ["Dashboard"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "current"),
    [
        ("/", ["Dashboard"]),
        ("/tools/sales/", ["Tools"]),
        ("/tools/~/mcp/shop/", ["MCP servers"]),
        ("/catalogue/~/glossary/", ["Glossary"]),
        ("/limits/new/", ["Access"]),
        ("/help/", []),
    ],
)
def test_innermost_place_is_current(path: str, current: list[str]) -> None:
    request = RequestFactory().get(path)
    request.user = User.objects.create_superuser("ann")

    items = list_navigation(request)

    assert [str(item.label) for item in items if item.is_current] == current


def test_no_two_places_look_the_same() -> None:
    icons = [place.icon for place in PLACES]

    assert len({*icons, "search"}) == len(icons) + 1


@pytest.mark.parametrize(
    ("view", "words"),
    [
        pytest.param(bad_request, "This request makes no sense", id="400"),
        pytest.param(server_error, "Something went wrong here", id="500"),
    ],
)
def test_error_pages_need_nothing_that_may_be_broken(view: object, words: str) -> None:
    request = RequestFactory().get("/")

    page = view(request, Exception("secret")) if view is bad_request else view(request)  # type: ignore[operator]

    assert words in page.text
    assert "secret" not in page.text


def test_unknown_page_says_so_in_the_persons_language(client: Client) -> None:
    page = client.get("/nowhere/", headers={"Accept-Language": "en"})

    assert page.status_code == 404
    assert "There is no such page" in page.text


def test_start_is_the_dashboard_of_who_is_signed_in(client: Client) -> None:
    assert client.get("/")["Location"] == "/sign-in/?next=/"


def test_what_is_too_large_is_said_so() -> None:
    request = RequestFactory().post("/")
    request.user = AnonymousUser()

    response = refuse_request(request, RequestDataTooBig())

    assert (response.status_code, "That is too large for the server." in response.text) == (
        413,
        True,
    )
