"""What proxies in front of the web side say of a request, believed of those in TRUSTED_PROXIES alone."""

from ipaddress import IPv4Address, IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest

Address = IPv4Address | IPv6Address


def client_address(request: HttpRequest) -> str:
    """The address of the client, '' if there is none."""
    meta = request.META
    return find_client(str(meta.get("REMOTE_ADDR", "")), str(meta.get("HTTP_X_FORWARDED_FOR", "")))


def find_client(peer: str, forwarded: str) -> str:
    """The address of the client of a connection from `peer`; `peer` itself if that is no address.

    X-Forwarded-For is read from its end for as long as a trusted proxy wrote it: whatever precedes
    the first other address is only the client's claim.
    """
    address = read_address(peer)
    if address is None:
        return peer
    words = [word.strip() for word in forwarded.split(",") if word.strip()]
    for word in reversed(words):
        if not is_trusted(address) or (before := read_address(word)) is None:
            break
        address = before
    return str(address)


def is_from_trusted_proxy(request: HttpRequest) -> bool:
    """Whether what this request's headers say of another client counts."""
    peer = read_address(str(request.META.get("REMOTE_ADDR", "")))
    return peer is not None and is_trusted(peer)


def is_trusted(address: Address) -> bool:
    """Whether TRUSTED_PROXIES names the address or its network."""
    return any(address in network for network in settings.TRUSTED_PROXIES)


def read_address(text: str) -> Address | None:
    """The address of a text as proxies write it, with or without a port; None for other texts."""
    host = text[1:].partition("]")[0] if text.startswith("[") else text
    if host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return None
    # One client has one address, in whichever form its proxy writes it.
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
