"""The types that a parameter may have, one class each, found by `registry.PARAMETER_TYPES`; may import core alone."""
