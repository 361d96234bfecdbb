#!/bin/sh
# Puts HAProxy and what it needs here into the folder $1, unless there is one in PATH; nothing is installed.
set -eu

if command -v haproxy >/dev/null 2>&1 || [ -x "$1/usr/sbin/haproxy" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "The tests of several machines need HAProxy, which cannot be had here: there is no apt-get." >&2
    exit 1
fi

echo "Fetching HAProxy for the tests of several machines..."
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
mkdir "$packages/partial"
fetch() {
    # As whoever we are, and without a look at what else is being installed.
    apt-get install --download-only --yes --no-install-recommends -qq \
        -o Debug::NoLocking=1 -o Dir::Cache::archives="$packages" -o APT::Sandbox::User="$(id -un)" haproxy >/dev/null
}
fetch || { apt-get update -qq && fetch; }
for package in "$packages"/*.deb; do
    dpkg --extract "$package" "$1"
done
