"""The audit trail: who changed what, and from where. Triggers write it; may import access and core."""
