"""What people do to a toolset: name it, choose its tools, take it away."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.db import transaction

from access.keys import replace_toolset
from access.models import Toolset, ToolsetTool


class ToolsetForm(forms.ModelForm[Toolset]):
    """A toolset's names, what it is for, and who approves changes of its tools."""

    class Meta:
        model = Toolset
        fields = ["title", "name", "description", "review", "owned_by_files"]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A program that does not know the field leaves it as it is.
        self.fields["review"].required = False

    def clean_review(self) -> str:
        """Who reviews; as it was where nothing is said."""
        return self.cleaned_data["review"] or self.instance.review

    def keep(self) -> Toolset:
        """The stored toolset of this valid form; keys with it follow it to its new name."""
        former: Any = self.initial.get("name")
        with transaction.atomic():
            toolset = self.save()
            if former and former != toolset.name:
                replace_toolset(former, toolset.name)
        return toolset


def choose_tools(toolset: Toolset, offered: Collection[str], ticked: Collection[str]) -> list[str]:
    """Put the ticked ones of the offered tools into the toolset, and take the others out.

    Returns the names that changed sides. Tools that were not offered stay where they are.
    """
    with transaction.atomic():
        Toolset.objects.select_for_update().get(pk=toolset.pk)
        named = ToolsetTool.objects.filter(toolset=toolset, tool_name__in=offered)
        held = set(named.values_list("tool_name", flat=True))
        chosen = set(ticked) & set(offered)
        named.exclude(tool_name__in=chosen).delete()
        rows = [ToolsetTool(toolset=toolset, tool_name=name) for name in sorted(chosen - held)]
        ToolsetTool.objects.bulk_create(rows)
    return sorted(held ^ chosen)


def add_to_toolset(toolset: Toolset, names: Collection[str]) -> list[str]:
    """Put the tools into the toolset; returns the names of those that were not in it by name."""
    with transaction.atomic():
        Toolset.objects.select_for_update().get(pk=toolset.pk)
        held = set(toolset.tools.values_list("tool_name", flat=True))
        added = sorted(set(names) - held)
        ToolsetTool.objects.bulk_create(
            ToolsetTool(toolset=toolset, tool_name=name) for name in added
        )
    return added


def take_from_toolset(toolset: Toolset, names: Collection[str]) -> list[str]:
    """Take the tools out of the toolset; returns the names of those that were in it by name."""
    with transaction.atomic():
        Toolset.objects.select_for_update().get(pk=toolset.pk)
        held = toolset.tools.filter(tool_name__in=names)
        taken = sorted(held.values_list("tool_name", flat=True))
        held.delete()
    return taken


def delete_toolset(toolset: Toolset) -> None:
    """Take the toolset away, also from the keys that have it."""
    with transaction.atomic():
        replace_toolset(toolset.name, None)
        toolset.delete()
