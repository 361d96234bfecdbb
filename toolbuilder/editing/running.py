"""A test run of a working copy: with which arguments, as whom, and what keeps it from beginning."""

import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from access.models import ApiKey
from access.reader_language import in_language
from access.views.gates import SEE_KEYS
from catalog.sources.settings import SourceSettings
from core.bindings import CallerFacts, is_bound
from core.diagnostics import Severity
from core.execution import TOOL_NAME
from core.toolspec import Binding, JsonValue, Presence, ToolSpec
from toolbuilder.editing.examining import Examined
from toolbuilder.editing.result import ShownTrial

MAX_CALLERS = 500
# A tool can be tried before it has a name.
_NO_NAME = "draft"
_OF_CALLER = frozenset({Binding.KEY_OWNER, Binding.KEY_ID, Binding.CLAIM})


def runnable(spec: ToolSpec) -> ToolSpec:
    """The tool under a name with which it can run."""
    return spec if TOOL_NAME.fullmatch(spec.name) else replace(spec, name=_NO_NAME)


def arguments_of(spec: ToolSpec, test_values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The test values that an agent would send, by the names that the tool has for them.

    A required one that nobody has given is the parameter's example, which its field shows.
    """
    given = {unicodedata.normalize("NFKC", name): value for name, value in test_values.items()}
    rows = [parameter for parameter in spec.parameters if not is_bound(parameter)]
    for row in rows:
        if row.presence is Presence.REQUIRED and row.example is not None:
            given.setdefault(row.name, row.example)
    return {row.name: given[row.name] for row in rows if row.name in given}


def find_obstacle(examined: Examined) -> ShownTrial | None:
    """Why a run cannot begin: the first fault of the definition, or a value that is needed."""
    for found in examined.analysis.diagnostics:
        if found.severity is Severity.ERROR:
            before = examined.analysis.text[: found.start]
            line = before.count("\n") + 1 if found.end else 0
            error = in_language(found.message)
            return ShownTrial(error=error, parameter=found.parameter, line=line)
    for name, fault in examined.faults.items():
        return ShownTrial(error=in_language(fault), parameter=name)
    spec = examined.spec
    if spec is None:
        return ShownTrial(error=_("This tool cannot be read."))
    given = arguments_of(spec, examined.document.test_values)
    missing = [
        row.name
        for row in spec.parameters
        if row.presence is Presence.REQUIRED and not is_bound(row) and row.name not in given
    ]
    if not missing:
        return None
    text = _("Give a test value for %(names)s.") % {"names": ", ".join(missing)}
    return ShownTrial(error=text, parameter=missing[0], missing=tuple(missing))


def depends_on_caller(spec: ToolSpec, sources: SourceSettings) -> bool:
    """Whether the tool's answer depends on who calls."""
    is_bound_to_caller = any(row.binding in _OF_CALLER for row in spec.parameters)
    return is_bound_to_caller or sources.takes_callers(spec.logic)


def caller_choices(spec: ToolSpec | None, sources: SourceSettings, user: User) -> dict[str, Any]:
    """What the result pane needs to ask as whom the tool is called."""
    is_needed = spec is not None and depends_on_caller(spec, sources)
    return {"needs_caller": is_needed, "callers": list_callers(user) if is_needed else []}


def list_callers(user: User) -> list[ApiKey]:
    """The valid keys as which the user may try: their own, or all if they may see keys; one query."""
    keys = ApiKey.objects.select_related("owner").filter(revoked_at=None)
    keys = keys.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()))
    keys = keys if user.has_perm(SEE_KEYS) else keys.filter(owner=user)
    return list(keys[:MAX_CALLERS])


def facts_of(key: ApiKey | None) -> CallerFacts:
    """What the runtime would know of a caller with this key, or without one."""
    if key is None:
        return CallerFacts()
    owner = key.owner.get_username() if key.owner else ""
    claims = key.claims if isinstance(key.claims, dict) else {}
    return CallerFacts(key_id=key.key_id, owner=owner, claims=claims)
