"""What a claim may be: a fact of a key's holder that bound parameters use."""

import math
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.bindings import is_claim_name

MAX_CLAIMS = 50
MAX_CLAIM_CHARACTERS = 1_000
MAX_CLAIM_ITEMS = 1_000


def check_claims(claims: Any) -> None:
    """Raise ValidationError unless `claims` maps names to texts, finite numbers, bools or lists of texts."""
    if not isinstance(claims, dict) or len(claims) > MAX_CLAIMS:
        raise ValidationError(
            _('Claims are a JSON object of at most %(limit)s entries, as in {"tenant": "KR"}.'),
            params={"limit": MAX_CLAIMS},
        )
    for name, value in claims.items():
        if not is_claim_name(name):
            raise ValidationError(
                _("The claim %(name)s: a name has 1 to 100 visible characters."),
                params={"name": ascii(name)},
            )
        if not _is_claim_value(value):
            raise ValidationError(
                _(
                    "The claim %(name)s must be a text of 1 to 1,000 visible characters, a number,"
                    " true or false, or a list of such texts."
                ),
                params={"name": name},
            )


def _is_claim_value(value: object) -> bool:
    match value:
        case bool():
            return True
        case int():
            return -(2**63) <= value < 2**63
        case float():
            return math.isfinite(value)
        case list():
            return len(value) <= MAX_CLAIM_ITEMS and all(map(_is_claim_text, value))
    return _is_claim_text(value)


def _is_claim_text(value: object) -> bool:
    # PostgreSQL's jsonb refuses NUL and lone surrogates, which are not printable either.
    return isinstance(value, str) and 0 < len(value) <= MAX_CLAIM_CHARACTERS and value.isprintable()
