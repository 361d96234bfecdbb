"""In which of the three languages a question is asked."""

import re
from typing import Literal

Language = Literal["ko", "ja", "en"]

_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
# Ideographs without Hangul beside them are taken for Japanese, as in 月別売上.
_JAPANESE = re.compile(r"[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\u4e00-\u9fff]")


def detect_language(text: str) -> Language:
    """The language by the script: Hangul, then kana or ideographs, else English."""
    if _HANGUL.search(text):
        return "ko"
    return "ja" if _JAPANESE.search(text) else "en"
