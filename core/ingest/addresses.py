"""Which web addresses may be called, judged without I/O from a URL and what it resolved to.

A gateway calls `parse_web_address`, resolves the host once, calls `choose_ip` and connects to exactly
the address that it returns, without following redirects; so a name that changes its answer gains nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from core.errors import EditError
from core.messages import Message, message

MAX_URL_CHARACTERS = 4_000

IpAddress = IPv4Address | IPv6Address
Networks = dict[IPv4Network | IPv6Network, Message]

_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<target>[^#]*)(?:#.*)?"
)
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\[\]@]+)(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_PRINTABLE = re.compile(r"[\x21-\x5b\x5d-\x7e]+")
_DEFAULT_PORTS = {"https": 443, "http": 80}

# IANA's special-purpose registries (RFC 6890), the ranges that are not of the public internet.
_NOT_PUBLIC: Networks = {
    IPv4Network("0.0.0.0/8"): message("network.this", "this network"),
    IPv4Network("10.0.0.0/8"): message("network.private", "a private network"),
    IPv4Network("100.64.0.0/10"): message("network.carrier", "a carrier's network"),
    IPv4Network("127.0.0.0/8"): message("network.loopback", "this computer"),
    IPv4Network("172.16.0.0/12"): message("network.private", "a private network"),
    IPv4Network("192.0.0.0/24"): message("network.protocol", "protocol assignments"),
    IPv4Network("192.0.2.0/24"): message("network.documentation", "documentation"),
    IPv4Network("192.88.99.0/24"): message("network.relay", "a relay"),
    IPv4Network("192.168.0.0/16"): message("network.private", "a private network"),
    IPv4Network("198.18.0.0/15"): message("network.benchmarks", "benchmarks"),
    IPv4Network("198.51.100.0/24"): message("network.documentation", "documentation"),
    IPv4Network("203.0.113.0/24"): message("network.documentation", "documentation"),
    IPv6Network("::1/128"): message("network.loopback", "this computer"),
    IPv6Network("64:ff9b:1::/48"): message("network.private", "a private network"),
    IPv6Network("100::/64"): message("network.discarding", "a discarding network"),
    IPv6Network("2001::/23"): message("network.protocol", "protocol assignments"),
    IPv6Network("2001:db8::/32"): message("network.documentation", "documentation"),
    IPv6Network("3fff::/20"): message("network.documentation", "documentation"),
    IPv6Network("5f00::/16"): message("network.private", "a private network"),
    IPv6Network("fc00::/7"): message("network.private", "a private network"),
    IPv6Network("fec0::/10"): message("network.private", "a private network"),
}
# Refused even for hosts that an administrator allows: no service of theirs lives there, but the
# credentials of a cloud's machines do.
_NEVER: Networks = {
    IPv4Network("0.0.0.0/32"): message("network.none", "no address"),
    IPv4Network("169.254.0.0/16"): message(
        "network.link_local_cloud", "a link-local network, where clouds keep credentials"
    ),
    IPv4Network("100.100.100.200/32"): message("network.metadata", "a cloud's metadata service"),
    IPv4Network("168.63.129.16/32"): message("network.platform", "a cloud's platform service"),
    IPv4Network("192.0.0.192/32"): message("network.metadata", "a cloud's metadata service"),
    IPv4Network("224.0.0.0/4"): message("network.multicast", "a multicast network"),
    IPv4Network("240.0.0.0/4"): message("network.reserved", "a reserved network"),
    IPv6Network("::/128"): message("network.none", "no address"),
    IPv6Network("fe80::/10"): message("network.link_local", "a link-local network"),
    IPv6Network("fd00:ec2::/32"): message("network.metadata", "a cloud's metadata service"),
    IPv6Network("fd20:ce::/32"): message("network.metadata", "a cloud's metadata service"),
    IPv6Network("ff00::/8"): message("network.multicast", "a multicast network"),
}
_PUBLIC_IPV6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


@dataclass(frozen=True, slots=True)
class AddressRules:
    """What may be called besides public hosts over https on the usual ports.

    `allowed_hosts` are names or addresses of internal services, each with or without :port, in small
    letters: for these http, private addresses and, without a port, every port are right. `ceiling` are
    the hosts that may be allowed at all, in the same form; None where nobody else has a say.
    """

    allowed_hosts: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset({443, 8443})
    ceiling: frozenset[str] | None = None

    def allows(self, host: str, port: int) -> bool:
        """Whether the internal service is allowed, and within the ceiling."""
        names = {host, f"{host}:{port}"}
        is_below = self.ceiling is None or not names.isdisjoint(self.ceiling)
        return is_below and not names.isdisjoint(self.allowed_hosts)

    def may_allow(self, host: str, port: int) -> bool:
        """Whether the ceiling leaves it to a person to allow the internal service."""
        return not {host, f"{host}:{port}"}.isdisjoint(self.ceiling or ())


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A URL in its parts: `host` in small letters, IPv6 without brackets; `target` path and query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port, as lists of allowed hosts name a service most narrowly."""
        return f"{self.host}:{self.port}"

    @property
    def literal_ip(self) -> IpAddress | None:
        """The address where the host is one and needs no resolving."""
        return _to_ip(self.host)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.target}"


def parse_web_address(url: str, rules: AddressRules) -> WebAddress:
    """The parts of a URL that may be called, as far as that is known before its host is resolved.

    Raises EditError that says what would be right.
    """
    if len(url) > MAX_URL_CHARACTERS or not _PRINTABLE.fullmatch(url):
        raise EditError(
            message(
                "address.ascii",
                "the address has to be printable ASCII without spaces and backslashes; write"
                " other letters escaped and names of hosts in their xn-- form",
            )
        )
    found = _URL.fullmatch(url)
    if not found or found["scheme"].lower() not in _DEFAULT_PORTS:
        raise EditError(message("address.https", "the address has to begin with https://"))
    scheme = found["scheme"].lower()
    host, port = _host_and_port(found["authority"], _DEFAULT_PORTS[scheme])
    target = found["target"]
    address = WebAddress(scheme, host, port, target if target.startswith("/") else f"/{target}")
    _check_transport(address, rules)
    if (literal := address.literal_ip) is not None:
        choose_ip(address, [literal], rules)
    return address


def choose_ip(
    address: WebAddress, resolved: Iterable[str | IpAddress], rules: AddressRules
) -> IpAddress:
    """The address to connect to, the first of those the host has resolved to.

    Raises EditError if there is none, or if any of them may not be called: a name that leads inside
    and outside at once is an attack or a mistake.
    """
    ips = [_to_ip(ip) if isinstance(ip, str) else ip for ip in resolved]
    if not ips:
        raise EditError(
            message(
                "address.unresolved",
                "the host {host} has no address; check its spelling",
                host=address.host,
            )
        )
    is_allowed = rules.allows(address.host, address.port)
    for ip in ips:
        reason = (
            message("network.none", "no address")
            if ip is None
            else find_refusal(ip, is_internal_allowed=is_allowed)
        )
        if reason:
            raise EditError(
                message(
                    "address.internal",
                    "the host {host} leads to {reason}; call a public host, or {remedy}",
                    host=address.host,
                    reason=reason,
                    remedy=_remedy(address, rules),
                )
            )
    return next(ip for ip in ips if ip is not None)


def find_refusal(ip: IpAddress, *, is_internal_allowed: bool = False) -> Message | None:
    """What kind of network forbids the address; None if it may be called.

    An IPv4 address inside an IPv6 one (mapped, compatible, NAT64, 6to4, ISATAP) is judged as itself.
    """
    if isinstance(ip, IPv6Address):
        # ::1 and :: are addresses of their own; the rest of ::/96 once meant the IPv4 address.
        is_compatible = int(ip) >> 32 == 0 and int(ip) > 1
        # NAT64 is of RFC 6052.
        if ip.ipv4_mapped is not None or ip in _NAT64 or is_compatible:
            meant = IPv4Address(int(ip) & 0xFFFFFFFF)
            return find_refusal(meant, is_internal_allowed=is_internal_allowed)
    # The prefix of a tunnel's address is anyone's, so the whole has to pass as well.
    inner = _tunnelled(ip) if isinstance(ip, IPv6Address) else None
    if inner and (reason := find_refusal(inner, is_internal_allowed=is_internal_allowed)):
        return reason
    if reason := _network_of(ip, _NEVER):
        return reason
    if is_internal_allowed:
        return None
    if reason := _network_of(ip, _NOT_PUBLIC):
        return reason
    is_reserved = isinstance(ip, IPv6Address) and ip not in _PUBLIC_IPV6
    return message("network.reserved", "a reserved network") if is_reserved else None


def _host_and_port(authority: str, default_port: int) -> tuple[str, int]:
    if "@" in authority:
        raise EditError(
            message(
                "address.user",
                "the address must not hold a user or a password; keep them as a secret",
            )
        )
    found = _AUTHORITY.fullmatch(authority)
    if not found:
        raise EditError(
            message(
                "address.no_host", "the address needs a host, such as https://api.example.com/v1"
            )
        )
    port = int(found["port"] or default_port)
    if not 0 < port < 65_536:
        raise EditError(
            message(
                "address.no_such_port",
                "the port {port} does not exist; it is 1 to 65535",
                port=str(port),
            )
        )
    return _host_of(found["host"].lower()), port


def _host_of(host: str) -> str:
    """The host in one form; raises EditError where programs differ in what they read in it."""
    if host.startswith("["):
        ip = _to_ip(host[1:-1])
        if ip is None:
            raise EditError(
                message("address.no_ipv6", "the host {host} is no IPv6 address", host=host)
            )
        return str(ip)
    name = host.removesuffix(".")
    labels = name.split(".")
    # Some programs take 127.1, 0x7f.0.0.1 and 2130706433 for addresses, others for names.
    if labels[-1].isdecimal() or labels[-1].startswith("0x"):
        if _to_ip(name) is None:
            raise EditError(
                message(
                    "address.host_form",
                    "the host {host} has to be a name or an address such as 192.0.2.1",
                    host=host,
                )
            )
        return name
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise EditError(
            message(
                "address.host_letters", "the host has to be a name of letters, digits, - and dots"
            )
        )
    return name


def _check_transport(address: WebAddress, rules: AddressRules) -> None:
    if rules.allows(address.host, address.port):
        return
    if address.scheme != "https":
        raise EditError(
            message(
                "address.https_only",
                "the address has to begin with https://; for http, {remedy}",
                remedy=_remedy(address, rules),
            )
        )
    if address.port not in rules.ports:
        known = ", ".join(map(str, sorted(rules.ports)))
        raise EditError(
            message(
                "address.port_closed",
                "the port {port} is not called; it may be {known}, or {remedy}",
                port=str(address.port),
                known=known,
                remedy=_remedy(address, rules),
            )
        )


def _remedy(address: WebAddress, rules: AddressRules) -> Message:
    """What to do so that the host, which is none of the public ones, may be called."""
    if rules.may_allow(address.host, address.port):
        return message("address.allow_it", "allow {host} for this service", host=address.authority)
    return message(
        "address.allow_in_setting",
        "have the operator name {host} in the setting HTTP_ALLOWED_HOSTS and start the servers again",
        host=address.authority,
    )


def _to_ip(text: str) -> IpAddress | None:
    # The number of an interface, as in fe80::1%eth0, has no meaning for others.
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def _tunnelled(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address at the end of a tunnel: 6to4 (RFC 3056) or ISATAP (RFC 5214)."""
    number = int(ip)
    if ip in _6TO4:
        return IPv4Address(number >> 80 & 0xFFFFFFFF)
    is_isatap = number >> 32 & 0xFFFFFFFF in _ISATAP
    return IPv4Address(number & 0xFFFFFFFF) if is_isatap else None


def _network_of(ip: IpAddress, networks: Networks) -> Message | None:
    return next((reason for network, reason in networks.items() if ip in network), None)
