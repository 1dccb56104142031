#!/usr/bin/env bash
# Debian packages that tests use where they are there; without them those tests are skipped and say so.
#
#   .ci/packages.sh              installs what is missing of all that is listed below
#   .ci/packages.sh PACKAGE...   installs what is missing of these
#
# Needs root on Debian. Anybody else gets a warning, and the tests that need a package are skipped. No service is
# started: dict-jargon and dict-devil come with a dictionary server, of which only the texts are used.
set -euo pipefail

packages=(
  bible-kjv    # the King James Bible, public domain: ordinary prose in which nothing may be detected
  buildah      # builds the image of docs/Containerfile, in a long test
  dict-jargon  # the Jargon File, public domain: talk full of code, paths and abbreviations, for the same
  dict-devil   # The Devil's Dictionary, public domain: verse and quotations, for the same
  mmdebstrap   # makes the base of that image
  pngcheck     # holds pictures to the PNG specification
  scowl        # word lists of SCOWL: SCOWL80 is built from them again
  stockfish    # a real engine to ask about chess positions
  systemd      # checks the unit in docs; it is not started
  chromium     # looks at the demo's page
)
[ $# -eq 0 ] || packages=("$@")

say() { printf 'packages.sh: %s\n' "$*" >&2; }

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  say "not installed, and only root on Debian can install them here: ${missing[*]}"
  exit 0
fi

# Debian asks this program before it starts a service that was just installed; 101 forbids it.
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
