"""Texts as hashed counts of their character n-grams: alike where they are written alike."""

import unicodedata

import numpy as np
from numpy.typing import NDArray

DIMENSION = 1_024
# By length of the n-gram. A single letter says little; a single ideograph or syllable is a word's part.
LATIN_WEIGHTS = {1: 0.1, 2: 0.6, 3: 1.0}
CJK_WEIGHTS = {1: 0.6, 2: 1.0, 3: 1.0}
FIRST_CJK = 0x2E80
BLANK = ord(" ")
# The multipliers of splitmix64, whose output bits all depend on all input bits.
MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
SIGN_SHIFT = np.uint64(63)


def embed_by_ngrams(text: str) -> NDArray[np.float32]:
    """A vector of unit length, (1024,), the same on every machine; zeros for a blank text.

    Signed feature hashing, Weinberger et al. 2009, of damped counts of 1- to 3-grams; words are
    bounded by blanks.
    """
    codes = _code_points(text)
    vector = np.zeros(DIMENSION)
    for length in (1, 2, 3):
        vector += _count_ngrams(codes, length)
    norm = float(np.linalg.norm(vector))
    return (vector / (norm or 1.0)).astype(np.float32)


def _code_points(text: str) -> NDArray[np.uint64]:
    words = unicodedata.normalize("NFKC", text).casefold().split()
    bounded = f" {' '.join(words)} ".encode("utf-32-le", "surrogatepass")
    return np.frombuffer(bounded, dtype="<u4").astype(np.uint64)


def _count_ngrams(codes: NDArray[np.uint64], length: int) -> NDArray[np.float64]:
    count = len(codes) - length + 1
    windows = [codes[start : start + count] for start in range(length)]
    has_letter = np.any([window != BLANK for window in windows], axis=0)
    hashes = np.full(count, length, dtype=np.uint64)
    for window in windows:
        hashes = _mix(hashes ^ window)
    unique, first, times = np.unique(hashes[has_letter], return_index=True, return_counts=True)
    is_cjk = np.any([window >= FIRST_CJK for window in windows], axis=0)[has_letter][first]
    weights = np.where(is_cjk, CJK_WEIGHTS[length], LATIN_WEIGHTS[length]) * (1 + np.log(times))
    signs = np.where(unique >> SIGN_SHIFT, 1.0, -1.0)
    buckets = (unique % np.uint64(DIMENSION)).astype(np.intp)
    return np.bincount(buckets, weights * signs, DIMENSION).astype(np.float64)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for shift, multiplier in zip(SHIFTS[:2], MULTIPLIERS, strict=True):
        values = (values ^ (values >> shift)) * multiplier
    return values ^ (values >> SHIFTS[2])
