"""How both ports speak HTTP."""
