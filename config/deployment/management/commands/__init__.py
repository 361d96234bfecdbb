"""`manage.py deploy_check`."""
