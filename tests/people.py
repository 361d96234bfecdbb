"""Browsers of people with and without rights; the conftest.py of a folder of pages imports these."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import translation

StaffWith = Callable[..., Client]


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """A request leaves its language behind in the thread."""
    with translation.override("en"):
        yield


@pytest.fixture
def admin(client: Client, db: None) -> Client:
    """A superuser's browser."""
    client.force_login(User.objects.create_superuser("admin"))
    return client


@pytest.fixture
def staff_with(db: None) -> StaffWith:
    """The browser of somebody of the staff who has these rights, by codename."""

    def sign_in(*codenames: str) -> Client:
        user = User.objects.create_user("kim", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
        client = Client()
        client.force_login(user)
        return client

    return sign_in
