"""How both ports speak HTTP: uvicorn with a protocol that bounds what a client can hold. Imports core alone."""
