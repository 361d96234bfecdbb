#!/bin/sh
# Puts a Chromium on this machine, unless there is one already.
set -eu

for name in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done

if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
    echo "The browser tests need Chromium, and it cannot be installed here without root and apt-get." >&2
    echo "Install Chromium or Chrome yourself, or name one: make browser CHROMIUM=/path/to/chrome" >&2
    exit 1
fi

echo "Installing Chromium for the browser tests..."
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# The pages speak Korean and Japanese, so the pictures of failures should too.
apt-get install -y -qq --no-install-recommends chromium-headless-shell fonts-noto-cjk >/dev/null || apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk >/dev/null
command -v chromium-headless-shell >/dev/null 2>&1 || command -v chromium >/dev/null 2>&1 || {
    echo "apt-get brought no \`chromium\`: this system has it under another name; set CHROMIUM." >&2
    exit 1
}
