"""What agents see of a working copy: its exact entry, what it costs in tokens, and advice on it."""

import json
from contextlib import suppress
from dataclasses import dataclass

from django.utils.translation import gettext as _

from access.reader_language import in_language
from catalog.sources.settings import SourceSettings
from core.errors import DefinitionError
from toolbuilder.editing.advice import ShownAdvice, advise_draft, show_advice
from toolbuilder.editing.drafts import DraftDocument, Work
from toolbuilder.editing.examining import Examined, read_spec
from toolbuilder.editing.trial import list_entry


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """`entry` is the item of `tools/list` as indented JSON, '' with the reason in `problem`.

    `tokens` are what a model reads of it in every conversation; `served_tokens` those of what is
    served now, None if nothing is.
    """

    entry: str = ""
    problem: str = ""
    tokens: int = 0
    served_tokens: int | None = None
    advice: tuple[ShownAdvice, ...] = ()

    @property
    def token_change(self) -> int:
        """Tokens more than what is served."""
        return self.tokens - self.served_tokens if self.served_tokens is not None else 0


def view_as_agent(work: Work, examined: Examined, sources: SourceSettings) -> AgentView:
    """The agent's side of a working copy; two queries at most."""
    if examined.spec is None:
        return AgentView(problem=_first_fault(examined))
    if not (examined.document.tool.name and examined.document.tool.definition.strip()):
        return AgentView(problem=_("it needs a name and logic first"))
    advice = tuple(map(show_advice, advise_draft(examined.spec)))
    served = None
    if work.served:
        with suppress(DefinitionError):
            served = list_entry(read_spec(DraftDocument(tool=work.served), sources))[1]
    try:
        entry, tokens = list_entry(examined.spec)
    except DefinitionError as error:
        return AgentView(problem=in_language(error), served_tokens=served, advice=advice)
    if not examined.is_valid:
        return AgentView(problem=_first_fault(examined), served_tokens=served, advice=advice)
    text = json.dumps(entry, ensure_ascii=False, indent=2)
    return AgentView(entry=text, tokens=tokens, served_tokens=served, advice=advice)


def _first_fault(examined: Examined) -> str:
    errors = [diagnostic.message for diagnostic in examined.analysis.diagnostics]
    return next(map(in_language, [*errors, *examined.faults.values()]), "")
