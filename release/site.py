"""`make docs`: docs/ as a static site with search, which asks no other server for anything.

The pages of the program itself are at /help/; this one is for who has no installation yet.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any

import yaml

from config import env
from release.building import PROJECT, ReleaseError

DOCS = PROJECT / "docs"
SITE = PROJECT / "dist" / "site"
# Whatever the theme's scripts might want, a browser fetches nothing from elsewhere.
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline';"
    " script-src 'self' 'unsafe-inline' blob:; worker-src 'self' blob:"
)
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_ROW = re.compile(r"^\| \[(.+?)\]\((.+?\.md)\)", re.MULTILINE)


def read_contents(index: str) -> list[dict[str, Any]]:
    """The pages as docs/index.md lists them: titles of its headings, each with titles and paths."""
    _before, *parts = _HEADING.split(index)
    groups = zip(parts[::2], parts[1::2], strict=True)
    listed = [
        {title: [{text: path} for text, path in _ROW.findall(rows)]} for title, rows in groups
    ]
    return [{"Contents": "index.md"}, *listed]


def keep_links_inside(text: str, page: str) -> str:
    """The Markdown of a page, with the words alone of links that lead out of docs/."""

    def keep(link: re.Match[str]) -> str:
        target = normpath(PurePosixPath(page).parent / link[2].partition("#")[0])
        return link[1] if target.startswith("..") else link[0]

    return _LINK.sub(keep, text)


def build_site(target: Path) -> None:
    """Make the site in the folder, which is replaced. Raises ReleaseError for a link that leads nowhere."""
    with tempfile.TemporaryDirectory(prefix="toolbuilder-site-") as name:
        work = Path(name)
        shutil.copytree(DOCS, work / "docs")
        for path in (work / "docs").rglob("*.md"):
            page = path.relative_to(work / "docs").as_posix()
            path.write_text(keep_links_inside(path.read_text(), page))
        (work / "mkdocs.yml").write_text(yaml.safe_dump(settings(), allow_unicode=True))
        finished = subprocess.run(
            (str(Path(sys.executable).parent / "zensical"), "build", "--strict"),
            cwd=work,
            env={**os.environ, "NO_COLOR": "1"},
            check=False,
            capture_output=True,
            text=True,
        )
        if finished.returncode:
            said = (finished.stdout + finished.stderr).partition("Traceback")[0]
            raise ReleaseError(f"the documentation has faults:\n{said}")
        for path in (work / "site").rglob("*.html"):
            head = f'<head>\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            path.write_text(path.read_text().replace("<head>", head, 1))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(work / "site", target)


def settings() -> dict[str, Any]:
    """What the generator is told, in MkDocs' form."""
    return {
        "site_name": f"Toolbuilder {env.version()}",
        "nav": read_contents((DOCS / "index.md").read_text()),
        # So that pages can be read from a folder too.
        "use_directory_urls": False,
        "theme": {
            "name": "material",
            # A font would come from another server.
            "font": False,
            "features": ["navigation.sections", "content.code.copy", "search.highlight"],
            "palette": [
                {
                    "media": f"(prefers-color-scheme: {name})",
                    "scheme": scheme,
                    "toggle": {"icon": "lucide/sun-moon", "name": "Other colours"},
                }
                for name, scheme in (("light", "default"), ("dark", "slate"))
            ],
        },
        "plugins": ["search"],
        "markdown_extensions": [
            "tables",
            {"toc": {"permalink": True}},
            "pymdownx.highlight",
            "pymdownx.superfences",
        ],
    }


if __name__ == "__main__":
    try:
        build_site(SITE)
    except ReleaseError as error:
        sys.exit(str(error))
    sys.stdout.write(f"{SITE}: {len(list(SITE.rglob('*.html')))} pages\n")
