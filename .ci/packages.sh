#!/usr/bin/env bash
# Installs Debian packages for tests. A test whose package is missing is skipped, with a message.
#
#   .ci/packages.sh              installs the packages listed below that are missing
#   .ci/packages.sh PACKAGE...   installs the given packages, except the packages that are already installed
#
# It must run as root on Debian; otherwise it only prints a warning. It starts no services: dict-jargon and dict-devil
# depend on a dictionary server, but the tests use only the texts in these packages.
set -euo pipefail

packages=(
  bible-kjv    # the King James Bible, public domain: ordinary prose, in which no position may be detected
  buildah      # builds the image of docs/Containerfile in a long test
  dict-jargon  # the Jargon File, public domain: text full of code, paths and abbreviations, for the same purpose
  dict-devil   # The Devil's Dictionary, public domain: verse and quotations, for the same purpose
  mmdebstrap   # creates the base of that image
  pngcheck     # verifies that pictures conform to the PNG specification
  scowl        # SCOWL's word lists, from which SCOWL80 is built again
  stockfish    # a real engine that analyzes chess positions
  systemd      # checks the unit in docs; it is not started
  chromium     # displays the demo's page
)
[ $# -eq 0 ] || packages=("$@")

say() { printf 'packages.sh: %s\n' "$*" >&2; }

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  say "these packages are missing, and only root on Debian can install them: ${missing[*]}"
  exit 0
fi

# Debian runs this program before it starts a newly installed service. The exit code 101 forbids the start.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi

say "installing ${missing[*]}"
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
"${apt[@]}" update </dev/null >&2
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >&2
