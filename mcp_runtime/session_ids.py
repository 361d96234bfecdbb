"""Ids of sessions, which say all that a process must know to serve one that began elsewhere."""

from uuid import UUID, uuid4

from django.core.signing import BadSignature, Signer
from mcp.server.auth.middleware.bearer_auth import AuthorizationContext

from core.json_text import encode_json


def write_session_id(version: str, owner: AuthorizationContext | None) -> str:
    """A new id: the protocol's version, a random number, and a signature that binds both to the owner."""
    return _signer(owner).sign(f"{version}.{uuid4().hex}")


def read_session_id(session_id: str, owner: AuthorizationContext | None) -> tuple[str, UUID] | None:
    """Version and number of a session; None unless an installation with our SECRET_KEY made the id for the owner."""
    try:
        version, _, number = _signer(owner).unsign(session_id).partition(".")
    except BadSignature:
        return None
    return version, UUID(number)


def _signer(owner: AuthorizationContext | None) -> Signer:
    who = owner["client_id"] if owner else ""
    if owner and owner["issuer"]:
        who = encode_json([who, owner["issuer"], owner["subject"]]).decode()
    return Signer(sep=".", salt=f"mcp session of {who}")
