"""What tells whether the vectors of a tool are of its present texts."""

import hashlib
import json

from core.retrieval.model import Tool
from core.retrieval.tool_texts import embedding_texts


def hash_texts(tool: Tool) -> str:
    """SHA-256, in hexadecimal, of the texts of a tool that are embedded."""
    return hashlib.sha256(json.dumps(embedding_texts(tool)).encode()).hexdigest()
