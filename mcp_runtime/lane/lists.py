"""Lists of tools as bytes: an entry is written once for each tool, a list once for all who see the same."""

from core.execution import CompiledTool
from core.json_text import encode_json
from core.languages import languages_of
from mcp_runtime.caller import Caller
from mcp_runtime.provider import SnapshotListing
from mcp_runtime.search.listing import ListingRule
from mcp_runtime.snapshot import ServedTool, Snapshot

# A list of 10,000 tools has some 3 MiB.
MOST_KEPT = 16


class ToolLists:
    """The lists of the current snapshot by the names that a caller may see, at most `MOST_KEPT`."""

    def __init__(self, rule: ListingRule) -> None:
        self._rule = rule
        self._listing = SnapshotListing(Snapshot(), rule)
        self._entries: dict[str, tuple[ServedTool, bytes]] = {}
        self._lists: dict[tuple[frozenset[str] | None, str], bytes] = {}

    def find(self, snapshot: Snapshot, caller: Caller, language: str = "") -> bytes:
        """The JSON list of what the caller is listed, in that language where it is described in it.

        Entries are kept in the default texts alone: other languages cost no memory but for the lists.
        """
        if snapshot is not self._listing.snapshot:
            self._listing, self._lists = SnapshotListing(snapshot, self._rule), {}
            # Entries of tools that did not change are kept; others are written when they are listed.
            self._entries = {
                name: kept
                for name, kept in self._entries.items()
                if snapshot.find(name) is kept[0] and name not in snapshot.builtin
            }
        key = snapshot.names_for(caller.facts), snapshot.choose_language(language)
        known = self._lists.get(key)
        if known is None:
            entries = [self._write(name, key[1]) for name in self._listing.names(caller)]
            known = b"[%b]" % b",".join(entries)
            while len(self._lists) >= MOST_KEPT:
                del self._lists[next(iter(self._lists))]
            self._lists[key] = known
        return known

    def _write(self, name: str, language: str) -> bytes:
        kept = self._entries.get(name)
        if kept is not None and not (language and is_described_in(kept[0], language)):
            return kept[1]
        tool, entry = self._listing.entry(name, language)
        # A copy: the encoder's own bytes keep the buffer in which they grew.
        written = bytes(memoryview(encode_json(entry.to_json())))
        if not (language and is_described_in(tool, language)):
            self._entries[name] = (tool, written)
        return written


def is_described_in(tool: ServedTool, language: str) -> bool:
    """Whether a tool has texts of its own in that language."""
    return isinstance(tool, CompiledTool) and language in languages_of(tool.spec)
