"""Lists of tools as bytes: an entry is written once for each tool, a list once for all who see the same."""

from core.json_text import encode_json
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
        self._lists: dict[frozenset[str] | None, bytes] = {}

    def find(self, snapshot: Snapshot, caller: Caller) -> bytes:
        """The JSON list of what the caller is listed."""
        if snapshot is not self._listing.snapshot:
            self._listing, self._lists = SnapshotListing(snapshot, self._rule), {}
            # Entries of tools that did not change are kept; others are written when they are listed.
            self._entries = {
                name: kept
                for name, kept in self._entries.items()
                if snapshot.find(name) is kept[0] and name not in snapshot.builtin
            }
        seen = snapshot.names_for(caller.facts)
        known = self._lists.get(seen)
        if known is None:
            names = self._listing.names(caller)
            for name in names:
                if name not in self._entries:
                    tool, entry = self._listing.entry(name)
                    # A copy: the encoder's own bytes keep the buffer in which they grew.
                    written = bytes(memoryview(encode_json(entry.to_json())))
                    self._entries[name] = (tool, written)
            known = b"[%b]" % b",".join([self._entries[name][1] for name in names])
            while len(self._lists) >= MOST_KEPT:
                del self._lists[next(iter(self._lists))]
            self._lists[seen] = known
        return known
