"""What people decided of masked columns, by the names of columns alone."""

from catalog.models import CatalogColumn


def read_mask_decisions() -> dict[str, bool]:
    """Whether values of columns of a name, in small letters, are masked; one query.

    One column that is masked masks all of its name. Where nobody decided, the rule of names holds.
    """
    decided: dict[str, bool] = {}
    rows = CatalogColumn.objects.exclude(is_masked=None).order_by()
    for name, is_masked in rows.values_list("name", "is_masked").distinct():
        folded = name.lower()
        decided[folded] = bool(is_masked) or decided.get(folded, False)
    return decided
