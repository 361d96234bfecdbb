"""The index of this process for the lab: what is served, found in the way in which agents find it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Lock

from django.conf import settings

from catalog.documents.vector_services import embedding_settings
from catalog.glossary.concepts import read_concepts, read_glossary_revision
from core.errors import DefinitionError
from core.execution import CompiledTool
from core.proxied import ProxiedSpec
from core.retrieval.model import Tool
from tools.builtin.registry import declared_tools
from tools.finding.index import FindableTool, SearchIndex, findable
from tools.finding.learned_uses import read_priors, read_uses_revision
from tools.finding.vector_rows import read_rows, read_vectors_revision
from tools.models import RegistryRevision
from tools.proxied_rows import read_proxied_rows
from tools.registry import read_served_rows


@dataclass(frozen=True, slots=True)
class _Proxied:
    """A tool of another server, to be searched."""

    spec: ProxiedSpec

    @property
    def input_schema(self) -> dict[str, object]:
        return self.spec.accepted.input_schema


@dataclass(frozen=True, slots=True)
class _Rows:
    """The tools of some rows by the rows' ids, with the fingerprints by which changed rows are known."""

    fingerprints: Mapping[int, str] = field(default_factory=dict)
    tools: Mapping[int, FindableTool] = field(default_factory=dict)

    def renewed(
        self, fingerprints: Mapping[int, str], changed: Mapping[int, FindableTool]
    ) -> "_Rows":
        kept = {id_: tool for id_, tool in self.tools.items() if id_ in fingerprints}
        same = {
            id_: tool for id_, tool in kept.items() if self.fingerprints[id_] == fingerprints[id_]
        }
        return _Rows(fingerprints, {**same, **changed})


@dataclass(frozen=True, slots=True)
class LabIndex:
    """The index at some revisions of tools, glossary, vectors and uses; it never changes."""

    search: SearchIndex = field(default_factory=SearchIndex)
    registry: int = -1
    glossary: str = ""
    vectors: str = ""
    uses: str = ""
    defined: _Rows = field(default_factory=_Rows)
    proxied: _Rows = field(default_factory=_Rows)

    @property
    def tools(self) -> dict[str, Tool]:
        """What is shown of the tools, by name."""
        return {name: tool.entry.tool for name, tool in self.search.tools.items()}


class IndexKeeper:
    """The newest index of this process; threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lab = LabIndex()

    def read(self) -> LabIndex:
        """The index of the rows as they are now; a row that changed is indexed alone."""
        model = embedding_settings().model
        registry, glossary = RegistryRevision.current(), read_glossary_revision()
        vectors, uses = read_vectors_revision(model), read_uses_revision()
        with self._lock:
            lab = self._lab
            if (registry, glossary, vectors) != (lab.registry, lab.glossary, lab.vectors):
                search, kept_uses = lab.search, lab.uses
                if vectors != lab.vectors or glossary != lab.glossary:
                    search, kept_uses = SearchIndex().with_glossary(read_concepts(), model), ""
                defined, rows = (
                    _read_defined(lab),
                    read_proxied_rows(lab.proxied.fingerprints),
                )
                changed_specs = {spec.id: _Proxied(spec) for spec in rows.specs}
                proxied = lab.proxied.renewed(rows.fingerprints, changed_specs)
                # A defined tool wins over a proxied one of its name, as where they are served.
                tools = (*proxied.tools.values(), *defined.tools.values())
                builtin = declared_tools(tuple(settings.MCP_BUILTIN_TOOLS))
                wanted = findable(builtin, {tool.spec.name: tool for tool in tools})
                changed, gone = search.find_changes(wanted)
                search = search.with_tools(changed, gone, read_rows(model, changed))
                self._lab = LabIndex(
                    search, registry, glossary, vectors, kept_uses, defined, proxied
                )
            if uses != self._lab.uses:
                search = self._lab.search.with_priors(read_priors())
                self._lab = replace(self._lab, search=search, uses=uses)
            return self._lab


@cache
def shared_keeper() -> IndexKeeper:
    """The keeper of this process."""
    return IndexKeeper()


def read_lab_index() -> LabIndex:
    """The index of the served tools as they are now."""
    return shared_keeper().read()


def _read_defined(lab: LabIndex) -> _Rows:
    before, changed = lab.defined, dict[int, FindableTool]()
    rows = read_served_rows(before.fingerprints, lab.registry if lab.registry >= 0 else None)
    for spec in rows.specs:
        try:
            changed[spec.id] = CompiledTool(spec)
        except DefinitionError:
            # It is not served either; its page says why.
            continue
    return before.renewed(rows.fingerprints, changed)
