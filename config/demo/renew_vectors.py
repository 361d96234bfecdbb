"""Writes the vectors that are shipped: `python -m config.demo.renew_vectors`, beside a fresh `make run`.

To be done after a change of the demo's tables, documents or tools, of a built-in tool, or of the model.
"""

import asyncio
import os
import sys
from pathlib import Path

import django
import numpy as np


def main() -> None:
    """Embed the stored documents, and take the vectors of tools that the runtime has made."""
    # Only here: these modules need Django's settings.
    from catalog.documents.portions import PROBE  # noqa: PLC0415
    from catalog.documents.searchable import embedded_text  # noqa: PLC0415
    from catalog.documents.vector_services import embedding_settings  # noqa: PLC0415
    from catalog.models import ReferenceDocument  # noqa: PLC0415
    from config.demo.vectors import PATH, ShippedVectors, hash_passage  # noqa: PLC0415
    from gateways.embeddings.client import EmbeddingClient, TextRole  # noqa: PLC0415
    from gateways.embeddings.texts import prepare_texts  # noqa: PLC0415
    from tools.finding.vector_rows import read_vectors  # noqa: PLC0415
    from tools.models import ToolVector  # noqa: PLC0415

    chosen = embedding_settings()
    rows = ReferenceDocument.objects.order_by("key")
    texts = prepare_texts([PROBE, *map(embedded_text, rows)], chosen.max_characters).texts
    vectors = asyncio.run(EmbeddingClient(chosen).embed(texts, TextRole.PASSAGE)).vectors
    passages = {
        hash_passage(text): np.array(vector, np.float32)
        for text, vector in zip(texts, vectors, strict=True)
    }
    names = list(ToolVector.objects.filter(model=chosen.model).values_list("tool_name", flat=True))
    ShippedVectors(chosen.model, passages, read_vectors(chosen.model, names)).write()
    sys.stdout.write(f"{PATH}: {len(passages)} passages, {len(names)} tools by {chosen.model}\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    main()
