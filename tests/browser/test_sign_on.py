"""A person signs in by a real issuer, in a real browser under our content policy, and out of both."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from cryptography.fernet import Fernet
from django.contrib.auth.models import Group
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from access.encryption import seal
from access.issuers.models import IssuerRule, TokenIssuer
from access.roles.models import RoleGrant
from tests.oidc_server import OidcServer, oidc_server


@pytest.fixture
def issuer(live_server: LiveServer, settings: Any) -> Iterator[OidcServer]:
    """A registered server; its group sales is our group analysts."""
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    own = {
        "redirects": [f"{live_server.url}/sign-in/corp/callback/"],
        "logouts": [f"{live_server.url}/sign-in/"],
    }
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(oidc_server(**own)) as server,
    ):
        row = TokenIssuer(name="corp", url=server.url, client_id="web")
        row.sign_in_scope = "openid profile email groups"
        row.client_secret = seal("web-secret", row.secret_identity)
        row.save()
        rule = IssuerRule(issuer=row, claim="groups", test="contains", value="sales")
        group = Group.objects.create(name="analysts")
        RoleGrant.objects.create(group=group, role="viewer")
        rule.people_groups = [group.name]
        rule.save()
        yield server


def sign_in_as_alice(page: Page) -> None:
    """From our sign-in page through the issuer's own."""
    page.get_by_role("link", name="Sign in with corp").click()
    page.locator("[name=login]").fill("alice")
    page.locator("[name=password]").fill("x")
    page.get_by_role("button").click()
    page.get_by_role("button", name="Continue").click()


def test_person_signs_in_by_an_issuer_and_out_of_both(
    page: Page, live_server: LiveServer, issuer: OidcServer
) -> None:
    # Pages of oidc-provider's own load fonts from elsewhere.
    page.route(re.compile("^https://"), lambda route: route.fulfill(body=""))
    page.goto(f"{live_server.url}/sign-in/")
    sign_in_as_alice(page)

    expect(page.get_by_text("Alice", exact=True)).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    link = page.get_by_role("link", name="Sign out of corp too")
    link.click()
    page.get_by_role("button", name="Yes, sign me out").click()

    expect(page.get_by_role("heading", name="Sign in to Toolbuilder")).to_be_visible()


def test_ended_session_goes_on_after_a_sign_in_by_the_issuer(
    page: Page, live_server: LiveServer, issuer: OidcServer
) -> None:
    page.context.route(re.compile("^https://"), lambda route: route.fulfill(body=""))
    RoleGrant.objects.update(role="administrator")
    page.goto(f"{live_server.url}/sign-in/?next=/keys/new/")
    sign_in_as_alice(page)
    page.get_by_label("Name", exact=True).fill("nightly report")
    Session.objects.all().delete()
    page.get_by_role("button", name="Create the key").click()
    dialog = page.get_by_role("dialog", name="Sign in again")

    with page.context.expect_page() as opened:
        dialog.get_by_role("link", name="Sign in with corp").click()
    other = opened.value
    expect(other.get_by_role("button", name="Sign out")).to_be_visible()
    other.close()
    page.bring_to_front()
    # Without a window there is no focus to come back.
    page.evaluate("window.dispatchEvent(new Event('focus'))")

    expect(dialog).to_be_hidden()
    expect(page.get_by_label("Name", exact=True)).to_have_value("nightly report")
    page.get_by_role("button", name="Create the key").click()
    expect(page.get_by_text("This is the only time that the key is shown")).to_be_visible()
