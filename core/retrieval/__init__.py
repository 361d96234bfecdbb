"""The search for tools: pure ranking over words, meanings, vectors and annotations. Imports core only."""
