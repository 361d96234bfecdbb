#!/bin/sh
# Puts a Chromium on this machine, unless there is one already: the system's, else the one that Playwright ($1) fetches.
set -eu

has_chromium() {
    for name in "${CHROMIUM:-}" chromium-headless-shell chromium google-chrome; do
        if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
            return 0
        fi
    done
    return 1
}

has_chromium && exit 0
echo "Installing Chromium for the browser tests..."
if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
    exec "$1" install chromium-headless-shell
fi

export DEBIAN_FRONTEND=noninteractive
install() {
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
apt-get update -qq
# The pages speak Korean and Japanese, so the pictures of failures should too. Playwright comes with a Node.js that needs libatomic.
install fonts-noto-cjk libatomic1
# What Ubuntu installs under this name is an empty package: its Chromium is a snap.
for package in chromium-headless-shell chromium; do
    if apt-cache show "$package" 2>/dev/null | grep -q .; then
        install "$package"
        break
    fi
done
has_chromium || exec "$1" install --with-deps chromium-headless-shell
