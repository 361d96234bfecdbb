"""The `{% modules_in %}` tag: our own JavaScript modules, known to every template without a `{% load %}`."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def modules_in(*folders: str) -> list[str]:
    """Names of the modules of these folders of static/, such as `web/toast.js`, in order."""
    root = settings.BASE_DIR / "static"
    found = [path for folder in folders for path in sorted(root.glob(f"{folder}/*.js"))]
    return [path.relative_to(root).as_posix() for path in found]
