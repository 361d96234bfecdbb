"""The embedded services and `manage.py up`, which starts and watches them. May import core."""
