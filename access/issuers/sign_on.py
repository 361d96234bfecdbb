"""Single sign-on: people of an issuer who come to the pages, and the groups that its rules give them."""

import hashlib
import logging
import re
import time
from collections.abc import Mapping
from typing import Any

import requests
from asgiref.sync import async_to_sync
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.base_client.errors import MismatchingStateError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError

from access.issuers.models import IssuerPerson, TokenIssuer
from core.claim_rules import apply_rules
from core.errors import ConfigurationError, IssuerUnavailableError, SignOnError
from core.messages import Message, message
from gateways.issuers import read_metadata, read_published_keys

logger = logging.getLogger(__name__)

TIMEOUT_S = 10
_FAILURES = (
    *(AuthlibBaseError, JoseError, requests.RequestException, IssuerUnavailableError),
    *(ConfigurationError, ValueError, KeyError, RuntimeError),
)
FAILED = message(
    "sign_on.failed", "the sign-in did not succeed; try again, or ask your administrator"
)
REFUSED = message(
    "sign_on.refused",
    "the issuer refused the sign-in: it was cancelled there, or this account may not use this application",
)
TOO_LATE = message(
    "sign_on.too_late", "this sign-in took too long, or began in another browser; begin again"
)
AWAY = message("sign_on.away", "the issuer does not answer now; try again in a few seconds")
CLOCKS = message(
    "sign_on.clocks",
    "the clocks of the issuer and of this server are too far apart; ask your administrator",
)
# RFC 6749, 4.1.2.1, and OpenID Connect Core, 3.1.2.6: anybody can write the address of the callback.
_ERROR_CODE = re.compile(r"[a-z_]{1,40}")
# OpenID Connect Core, 2, has 255 ASCII characters; some issuers take names in other letters.
_SUBJECT = re.compile(r"[^\x00]{1,255}", re.DOTALL)
NO_RIGHTS = message("sign_on.deactivated", "this account is deactivated; ask your administrator")


def begin_sign_on(
    request: HttpRequest, issuer: TokenIssuer, callback_url: str, state: str
) -> HttpResponse:
    """Leads to the issuer's sign-in, which comes back with the `state`. Raises SignOnError."""
    try:
        client = _client_of(issuer)
        answer: HttpResponse = client.authorize_redirect(request, callback_url, state=state)
    except _FAILURES as error:
        raise _explain(issuer, error) from error
    return answer


def finish_sign_on(request: HttpRequest, issuer: TokenIssuer) -> tuple[User, dict[str, str]]:
    """Who came back from the issuer, with the groups of now, and what the sign-out needs.

    Raises SignOnError.
    """
    try:
        client = _client_of(issuer, with_keys=True)
        token = client.authorize_access_token(request, leeway=issuer.leeway_s)
        claims = dict(token["userinfo"])
        metadata = client.server_metadata
        if metadata.get("userinfo_endpoint"):
            more = client.userinfo(token=token)
            # Another person's answer would be an attack.
            claims = {**more, **claims} if more.get("sub") == claims["sub"] else claims
    except _FAILURES as error:
        raise _explain(issuer, error) from error
    user = take_person(issuer, claims)
    end = str(metadata.get("end_session_endpoint") or "")
    ending = {"issuer": issuer.name, "client_id": issuer.client_id, "end": end}
    return user, ending | {"id_token": str(token["id_token"])}


def _explain(issuer: TokenIssuer, error: Exception) -> SignOnError:
    """What the person can do about it; the log has what the administrator needs, and nothing of a token."""
    code = str(getattr(error, "error", ""))
    claim = str(getattr(error, "claim", ""))
    words = [word for word in (code, claim) if _ERROR_CODE.fullmatch(word)]
    logger.warning(
        "a sign-in by %s failed: %s", issuer.name, " ".join([type(error).__name__, *words])
    )
    text: Message = FAILED
    match error:
        case MismatchingStateError():
            text = TOO_LATE
        case IssuerUnavailableError() | requests.RequestException():
            text = AWAY
        case ExpiredTokenError():
            text = CLOCKS
        case InvalidClaimError() if claim in {"iat", "nbf"}:
            text = CLOCKS
        case AuthlibBaseError() if code == "access_denied":
            text = REFUSED
    return SignOnError(text)


@transaction.atomic
def take_person(issuer: TokenIssuer, claims: Mapping[str, Any]) -> User:
    """The user of the subject, made at the first sign-in, with exactly the groups of the rules.

    Users are found by issuer and subject alone: names and addresses of e-mail may be anybody's. Raises
    SignOnError for one that is deactivated, and for a `sub` that OpenID Connect does not allow.
    """
    subject = str(claims["sub"])
    if not _SUBJECT.fullmatch(subject):
        logger.warning("a sign-in by %s failed: its `sub` is no subject identifier", issuer.name)
        raise SignOnError(FAILED)
    people = IssuerPerson.objects.filter(issuer=issuer, subject=subject).select_related("user")
    if (person := people.first()) is None:
        # Two tabs may come for the first time at once.
        TokenIssuer.objects.select_for_update(no_key=True).get(pk=issuer.pk)
        person = people.first()
    if person is None:
        user = User(username=_free_username(issuer, claims))
        user.set_unusable_password()
        # Only now: who loses the right later does not get it back by signing in.
        user.is_superuser = f"{issuer.name}:{subject}" in settings.SSO_ADMINISTRATORS
        user.save()
        person = IssuerPerson.objects.create(issuer=issuer, subject=subject, user=user)
    user = person.user
    if not user.is_active:
        raise SignOnError(NO_RIGHTS)
    names = apply_rules(issuer.to_issuer().rules, claims).people_groups
    groups = Group.objects.filter(name__in=names)
    user.groups.set(groups)
    # The back office is for groups with rights there; a role opens the pages without it.
    user.is_staff = user.is_superuser or groups.filter(permissions__isnull=False).exists()
    user.email = _read_text(claims, "email")[:254]
    user.first_name = _read_text(claims, "name")[:150]
    user.save(update_fields=["is_staff", "email", "first_name"])
    person.last_sign_in_at = timezone.now()
    person.save(update_fields=["last_sign_in_at"])
    return user


def _read_text(claims: Mapping[str, Any], name: str) -> str:
    # A database stores neither NUL nor half of a surrogate pair.
    text = str(claims.get(name) or "").replace("\0", "")
    return text.encode(errors="ignore").decode()


def _free_username(issuer: TokenIssuer, claims: Mapping[str, Any]) -> str:
    wish = str(claims.get("preferred_username") or claims["sub"])[:80]
    # Many issuers give an address of e-mail: what is before the @ is the name.
    before = wish.partition("@")[0] or wish
    own = "".join(letter for letter in before if letter.isalnum() or letter in "._-+")
    name = f"{own}@{issuer.name}"
    if User.objects.filter(username=name).exists():
        name = f"{own}-{hashlib.sha256(str(claims['sub']).encode()).hexdigest()[:8]}@{issuer.name}"
    return name


def _client_of(issuer: TokenIssuer, *, with_keys: bool = False) -> Any:
    metadata = dict(async_to_sync(read_metadata)(issuer.url))
    if with_keys:
        metadata["jwks"] = async_to_sync(read_published_keys)(metadata)
    oauth = OAuth()
    oauth.register(
        issuer.name,
        client_id=issuer.client_id,
        client_secret=issuer.read_secret() or None,
        client_kwargs={
            "scope": issuer.sign_in_scope,
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_S,
        },
    )
    client = oauth.create_client(issuer.name)
    algorithms = list(issuer.to_issuer().algorithms)
    pinned = {"id_token_signing_alg_values_supported": algorithms, "_loaded_at": time.time()}
    client.server_metadata.update(metadata | pinned)
    return client
