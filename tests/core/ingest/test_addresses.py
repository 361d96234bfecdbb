"""Addresses that a person types lead to public services, or to those an administrator allows."""

from ipaddress import ip_address

import pytest

from core.errors import EditError
from core.ingest.addresses import AddressRules, choose_ip, find_refusal, parse_web_address

RULES = AddressRules()
INTERNAL = AddressRules(allowed_hosts=frozenset({"embed.local", "10.0.0.5:8080", "::1"}))


@pytest.mark.parametrize(
    "ip",
    [
        "8.8.8.8",
        "1.1.1.1",
        "172.32.0.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::1",
    ],
)
def test_a_public_address_may_be_called(ip: str) -> None:
    assert find_refusal(ip_address(ip)) is None


@pytest.mark.parametrize(
    ("ip", "reason"),
    [
        ("127.0.0.1", "this computer"),
        ("127.255.0.9", "this computer"),
        ("0.0.0.0", "no address"),  # noqa: S104
        ("0.1.2.3", "this network"),
        ("10.1.2.3", "a private network"),
        ("172.16.0.1", "a private network"),
        ("172.31.255.255", "a private network"),
        ("192.168.1.1", "a private network"),
        ("100.64.0.1", "a carrier's network"),
        ("169.254.169.254", "a link-local network"),
        ("100.100.100.200", "a cloud's metadata"),
        ("198.18.0.1", "benchmarks"),
        ("224.0.0.1", "a multicast network"),
        ("255.255.255.255", "a reserved network"),
        ("::", "no address"),
        ("::1", "this computer"),
        ("fe80::1", "a link-local network"),
        ("fc00::1", "a private network"),
        ("fd00:ec2::254", "a cloud's metadata"),
        ("fec0::1", "a private network"),
        ("ff02::1", "a multicast network"),
        ("2001:db8::1", "documentation"),
        ("2001:0:808:808::1", "protocol assignments"),
        ("4000::1", "a reserved network"),
        ("::ffff:127.0.0.1", "this computer"),
        ("::ffff:169.254.169.254", "a link-local network"),
        ("::7f00:1", "this computer"),
        ("64:ff9b::a00:1", "a private network"),
        ("64:ff9b::a9fe:a9fe", "a link-local network"),
        ("64:ff9b:1::808:808", "a private network"),
        ("2002:7f00:1::1", "this computer"),
        ("2606:4700::5efe:10.0.0.1", "a private network"),
        ("fc00::5efe:8.8.8.8", "a private network"),
    ],
)
def test_an_address_of_another_network_is_refused(ip: str, reason: str) -> None:
    assert str(find_refusal(ip_address(ip))).startswith(reason)


@pytest.mark.parametrize("ip", ["127.0.0.1", "10.0.0.1", "fc00::1", "::1", "64:ff9b::a00:1"])
def test_an_allowed_host_may_be_internal(ip: str) -> None:
    assert find_refusal(ip_address(ip), is_internal_allowed=True) is None


@pytest.mark.parametrize(
    "ip",
    ["169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254", "fe80::1", "::", "ff02::1"],
)
def test_credentials_of_a_cloud_are_out_of_reach_even_for_an_allowed_host(ip: str) -> None:
    with pytest.raises(EditError, match=r"embed\.local leads to"):
        choose_ip(parse_web_address("http://embed.local/", INTERNAL), [ip], INTERNAL)


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://API.Example.com", "https://api.example.com/"),
        ("HTTPS://example.com:443/a?b=c#d", "https://example.com/a?b=c"),
        ("https://example.com.:8443?q=1", "https://example.com:8443/?q=1"),
        ("https://8.8.8.8/x", "https://8.8.8.8/x"),
        ("https://[2606:4700:0::1111]/", "https://[2606:4700::1111]/"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
    ],
)
def test_a_public_address_is_read_into_one_form(url: str, text: str) -> None:
    assert str(parse_web_address(url, RULES)) == text


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://example.com/", "begin with https"),
        ("ftp://example.com/", "begin with https"),
        ("file:///etc/passwd", "begin with https"),
        ("javascript:alert(1)", "begin with https"),
        ("//example.com/", "begin with https"),
        ("", "printable ASCII"),
        ("https://exam ple.com/", "printable ASCII"),
        ("https://example.com\\@evil.com/", "printable ASCII"),
        ("https://example.com/\r\nHost: x", "printable ASCII"),
        ("https://bücher.example/", "xn-- form"),
        ("https://user:pw@example.com/", "user or a password"),
        ("https://example.com@127.0.0.1/", "user or a password"),
        ("https:///path", "needs a host"),
        ("https://exa%6dple.com/", "letters, digits"),
        ("https://-a.example/", "letters, digits"),
        ("https://a..example/", "letters, digits"),
        ("https://example.com:99999/", "does not exist"),
        ("https://example.com:0/", "does not exist"),
        ("https://example.com:6379/", "the port 6379 is not called"),
        ("https://example.com:x/", "needs a host"),
        ("https://127.1/", "has to be a name or an address"),
        ("https://2130706433/", "has to be a name or an address"),
        ("https://0x7f000001/", "has to be a name or an address"),
        ("https://0177.0.0.1/", "has to be a name or an address"),
        ("https://127.0.0.1/", "leads to this computer"),
        ("https://[::ffff:7f00:1]/", "leads to this computer"),
        ("https://[fe80::1%25eth0]/", "needs a host"),
        ("https://[::1/", "needs a host"),
        ("https://[1:2]/", "no IPv6 address"),
        ("https://example.com/" + "x" * 4_000, "printable ASCII"),
    ],
)
def test_a_doubtful_address_is_refused(url: str, text: str) -> None:
    with pytest.raises(EditError, match=text):
        parse_web_address(url, RULES)


@pytest.mark.parametrize(
    ("url", "ip"),
    [
        ("http://embed.local:9000/v1", "10.1.2.3"),
        ("http://10.0.0.5:8080/", "10.0.0.5"),
        ("http://[::1]:3000/", "::1"),
    ],
)
def test_an_allowed_host_may_be_called_over_http(url: str, ip: str) -> None:
    assert str(choose_ip(parse_web_address(url, INTERNAL), [ip], INTERNAL)) == ip


@pytest.mark.parametrize(
    "url", ["http://10.0.0.5:8081/", "https://10.0.0.5/", "https://x.embed.local/"]
)
def test_what_is_not_exactly_allowed_is_not_internal(url: str) -> None:
    with pytest.raises(EditError):
        choose_ip(parse_web_address(url, INTERNAL), ["10.0.0.5"], INTERNAL)


@pytest.mark.parametrize(
    ("resolved", "text"),
    [
        pytest.param(
            ["93.184.216.34", "127.0.0.1"], "leads to this computer", id="one is internal"
        ),
        pytest.param([], "has no address", id="none"),
        pytest.param(["localhost"], "leads to no address", id="no address"),
        pytest.param(["fe80::1%eth0"], "leads to no address", id="with an interface"),
    ],
)
def test_every_resolved_address_has_to_be_public(resolved: list[str], text: str) -> None:
    with pytest.raises(EditError, match=text):
        choose_ip(parse_web_address("https://example.com/", RULES), resolved, RULES)


def test_the_first_resolved_address_is_the_one_to_connect_to() -> None:
    address = parse_web_address("https://example.com/", RULES)

    assert choose_ip(address, ["93.184.216.34", "8.8.8.8"], RULES) == ip_address("93.184.216.34")
