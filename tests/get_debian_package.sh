#!/bin/sh
# Puts the Debian package $1 and what it needs here into the folder $2; nothing is installed.
set -eu

if [ -e "$2/.unpacked" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "These tests need Debian's $1, which cannot be had here: there is no apt-get." >&2
    exit 1
fi

echo "Fetching $1 for the tests..."
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
mkdir "$packages/partial"
fetch() {
    # As whoever we are, without a look at what else is being installed. --reinstall: the package itself may
    # be there in another shape.
    apt-get install --download-only --yes --reinstall --no-install-recommends -qq \
        -o Debug::NoLocking=1 -o Dir::Cache::archives="$packages" -o APT::Sandbox::User="$(id -un)" "$1" >/dev/null
}
fetch "$1" || { apt-get update -qq && fetch "$1"; }
for package in "$packages"/*.deb; do
    dpkg --extract "$package" "$2"
done
touch "$2/.unpacked"
