"""`manage.py deploy_check`: whether this installation is complete, safe and quick, asked of everything it uses.

Each check is one small function that gives findings; `registry.py` lists them. Tests: tests/config/deployment.
"""
