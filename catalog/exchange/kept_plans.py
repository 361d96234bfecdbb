"""Plans of imports between being shown and being applied: each in a session of its own, for some hours."""

from importlib import import_module

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase

from catalog.exchange.plan import ImportPlan, plan_from_json

KEPT_S = 6 * 3600
_PLAN, _USER = "import_plan", "import_user"


def keep_plan(plan: ImportPlan, user: User) -> str:
    """The key under which that user finds the plan again.

    Sessions are signed or kept on the server, so nobody can change a plan after it was shown.
    """
    session = _open_session(None)
    session[_PLAN], session[_USER] = plan.to_json(), user.pk
    session.set_expiry(KEPT_S)
    session.save()
    return str(session.session_key)


def find_plan(key: str, user: User) -> ImportPlan | None:
    """The plan of that key if this user made it and it was neither applied nor dropped."""
    session = _find_session(key, user)
    return plan_from_json(session[_PLAN]) if session else None


def drop_plan(key: str, user: User) -> None:
    """Forget the plan of that key, if this user made it."""
    if session := _find_session(key, user):
        session.flush()


def _find_session(key: str, user: User) -> SessionBase | None:
    # The key comes from an address, so it may be that of a session of another kind.
    session = _open_session(key)
    return session if session.get(_PLAN) and session.get(_USER) == user.pk else None


def _open_session(key: str | None) -> SessionBase:
    store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
    return store(key)
