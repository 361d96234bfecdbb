#!/bin/sh
# Puts MariaDB's server and what it needs here into the folder $1, unless there is one in PATH; nothing is installed.
set -eu

if command -v mariadbd >/dev/null 2>&1 || [ -x "$1/usr/sbin/mariadbd" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "The tests of MariaDB need its server, which cannot be had here: there is no apt-get." >&2
    exit 1
fi

echo "Fetching MariaDB for its tests..."
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
mkdir "$packages/partial"
fetch() {
    # As whoever we are, and without a look at what else is being installed.
    apt-get install --download-only --yes --no-install-recommends -qq \
        -o Debug::NoLocking=1 -o Dir::Cache::archives="$packages" -o APT::Sandbox::User="$(id -un)" \
        "$1" >/dev/null
}
fetch_any() {
    # Ubuntu 22.04 has the version in the name.
    fetch mariadb-server-core || fetch mariadb-server-core-10.6
}
fetch_any 2>/dev/null || { apt-get update -qq && fetch_any; }
for package in "$packages"/*.deb; do
    dpkg --extract "$package" "$1"
done
