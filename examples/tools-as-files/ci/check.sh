#!/bin/sh
# Checks this repository as a merge request: faults and advice, test cases, then the plan.
# TOOLBUILDER is the folder of Toolbuilder's manage.py; DATABASE_URL leads to its database.
# Exit code 0: it may be merged. With APPLY=yes, as on the main branch, the plan is applied.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
cd "$TOOLBUILDER"
tools() { "${PYTHON:-python}" manage.py tools "$@"; }

tools lint "$here"
tools test "$here"
if [ "${APPLY:-no}" = yes ]; then
    tools apply "$here" --prune --note "${COMMIT:-}"
else
    # 0: nothing would change, 2: something would; both are fine here, 1 is not.
    tools apply "$here" --prune --dry-run || [ $? -eq 2 ]
fi
