"""From where a key may be used: what the column `allowed_networks` says."""

from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from access.proxies import read_address

MAX_NETWORKS = 100

Network = IPv4Network | IPv6Network


def read_networks(stored: object) -> tuple[Network, ...] | None:
    """The networks of the column; None is every address.

    What is no list of networks, as another program may have written it, is none at all.
    """
    texts = stored if isinstance(stored, list) else [stored]
    try:
        return tuple(ip_network(str(text), strict=False) for text in texts) or None
    except ValueError:
        return ()


def check_networks(stored: Any) -> None:
    """Raise ValidationError unless `stored` is a list of addresses or networks."""
    networks = read_networks(stored)
    if networks == ():
        raise ValidationError(_("Write addresses or networks, as in 10.0.0.0/8 or 2001:db8::/32."))
    if len(networks or ()) > MAX_NETWORKS:
        text = _("a key names at most %(limit)s networks")
        raise ValidationError(text, params={"limit": MAX_NETWORKS})


@lru_cache(4_096)
def is_within(address: str, networks: tuple[Network, ...]) -> bool:
    """Whether the address is in one of the networks; what is no address is in none."""
    found = read_address(address)
    return found is not None and any(found in network for network in networks)
