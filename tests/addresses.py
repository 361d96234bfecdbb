"""All addresses of the web side, from the patterns that serve them."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, reverse


def list_addresses(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and address of each, programs' and Django's admin aside.

    `arguments` are by the names in the patterns, or by "<name of the address>.<name in the pattern>"
    where one differs. Raises KeyError for a name that has none.
    """
    for name, names in _list_patterns(get_resolver(), ()):
        if not name.startswith("api-"):
            given = {one: arguments.get(f"{name}.{one}") or arguments[one] for one in names}
            yield name, reverse(name, kwargs=given)


def _list_patterns(
    resolver: URLResolver, outer: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for one in resolver.url_patterns:
        names = (*outer, *one.pattern.regex.groupindex)
        if isinstance(one, URLResolver) and one.namespace is None:
            yield from _list_patterns(one, names)
        elif isinstance(one, URLPattern) and one.name:
            yield one.name, names
