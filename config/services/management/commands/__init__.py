"""`manage.py up` and `manage.py bootstrap`."""
