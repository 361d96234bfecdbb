"""I/O with the outside: databases, vectors, embeddings. No framework; may import core."""
