#!/usr/bin/env bash
# Installs the wheel alone into a new environment, runs its commands in an empty folder, and checks its size on disk.
#
#   .ci/package.sh WHEEL
set -euo pipefail
wheel=$(realpath "$1")
folder=$(mktemp -d)
demo=
cleanup() {
  [ -z "$demo" ] || kill "$demo" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
python3 -m venv environment
pip=environment/bin/pip
packages=$(environment/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# The size in megabytes, without pip and setuptools, which are part of every virtual environment.
megabytes() { du -sm --exclude=pip* --exclude=setuptools* --exclude=pkg_resources "$packages" | cut -f1; }
within() {
  printf '%s: %s MB (at most %s)\n' "$1" "$(megabytes)" "$2"
  [ "$(megabytes)" -le "$2" ]
}

"$pip" install -q "$wheel"
within "kibitz" 150
"$pip" install -q "$wheel[analysis]"
within "kibitz[analysis]" 450

kibitz=$folder/environment/bin/kibitz
mkdir empty && cd empty
unset DISCORD_TOKEN DATABASE_URL PORT
echo '15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 AEINRST/ 0/10 0 lex SCOWL80;' >position.cgp
printf '#player1 alice Alice\n#player2 bob Bob\n#lexicon SCOWL80\n>alice: AABCDEG -AB +0 0\n>bob: EIQUSOO 8G QI +22 22\n#note Bob resigns\n' >game.gcg
"$kibitz" init
grep -q '^theme = ' config.toml
if "$kibitz" doctor >report; then echo "doctor does not report the missing token" >&2; exit 1; fi
grep -q 'DISCORD_TOKEN is not set' report
"$kibitz" show position.cgp -o board.png
[ "$(head -c 4 board.png | tail -c 3)" = PNG ]
"$kibitz" analyze position.cgp --plays 3
"$kibitz" review game.gcg --seconds 1
if "$kibitz" run 2>refusal; then echo "run starts without a token" >&2; exit 1; fi
grep -q DISCORD_TOKEN refusal

# In a terminal, the demo offers to install SimCord; the answer is yes. The demo ends when its terminal does, even if this script
# was started with nohup.
printf 'y\n' | env --default-signal=HUP script --quiet --flush --command "$kibitz demo --no-browser" page >/dev/null &
demo=$!
for _ in $(seq 240); do
  address=$(grep -o 'http://127[^ ]*' page | head -1 || true)
  [ -z "$address" ] || break
  kill -0 "$demo" || { cat page >&2; exit 1; }
  sleep 0.5
done
python3 -c 'import sys, urllib.request; assert b"<html" in urllib.request.urlopen(sys.argv[1]).read().lower()' "$address"
echo "the demo answers"
