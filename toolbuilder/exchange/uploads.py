"""What people upload as files of tools: YAML, JSON, or a ZIP of them, as texts by path."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from django.core.files.uploadedfile import UploadedFile

from core.archives import ZIP_DAMAGE
from core.errors import EditError
from core.messages import message

# What a form may hold of text; the command takes larger files.
MAX_BYTES = 2_000_000
MAX_FILES = 1_000
_ENDINGS = frozenset({".yaml", ".yml", ".json"})


def read_uploads(files: "Iterable[UploadedFile[bytes]]") -> dict[str, str]:
    """The texts of the files, and of those in a ZIP, by path. Raises EditError beyond the limits."""
    texts: dict[str, str] = {}
    size = 0
    for path, data in _open_all(files):
        size += len(data)
        if size > MAX_BYTES or len(texts) >= MAX_FILES:
            raise EditError(
                message(
                    "import.too_much",
                    "The files are larger than 2 MB, or more than {limit}; import them with"
                    " manage.py tools apply.",
                    limit=MAX_FILES,
                )
            )
        try:
            texts[path] = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise EditError(
                message("import.upload_no_utf8", "{path} is not UTF-8.", path=path)
            ) from error
    return texts


def join_texts(texts: dict[str, str]) -> str:
    """The texts as one, documents after each other."""
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "".join(f"---\n# {path}\n{text.rstrip()}\n" for path, text in texts.items())


def _open_all(files: "Iterable[UploadedFile[bytes]]") -> Iterator[tuple[str, bytes]]:
    """Path and content of each file, of which no more is read than is allowed."""
    for file in files:
        name = file.name or ""
        data = file.read(MAX_BYTES + 1)
        if not data.startswith(b"PK\x03\x04"):
            yield name, data
            continue
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for entry in archive.infolist():
                    path = PurePosixPath(entry.filename)
                    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
                    if path.suffix in _ENDINGS and not is_hidden:
                        with archive.open(entry) as part:
                            yield str(path), part.read(MAX_BYTES + 1)
        except ZIP_DAMAGE as error:
            raise EditError(
                message("import.no_zip", "{path} is no ZIP that can be read.", path=name)
            ) from error
