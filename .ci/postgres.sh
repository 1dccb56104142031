#!/usr/bin/env bash
# Starts a temporary PostgreSQL server for tests, which listens only on the loopback interface.
#
#   .ci/postgres.sh COMMAND [ARGUMENT...]    runs the command with TEST_POSTGRES_URL set
#   . .ci/postgres.sh                        defines the functions postgres_start, which exports that variable,
#                                            and postgres_stop, to be called at the end (trap postgres_stop EXIT)
#
# If PostgreSQL is missing and the script runs as root, it installs Debian's packages. For root, the server runs as the
# user postgres. If TEST_POSTGRES_URL is already set, the script uses that server and starts none.

_postgres_dir=
_postgres_bin=

_postgres_say() { printf 'postgres.sh: %s\n' "$*" >&2; }

# Runs a command as the user of the server. PostgreSQL refuses to run as root.
_postgres_as() {
  if [ "$(id -u)" -eq 0 ]; then
    (cd / && exec runuser -u postgres -- "$@")
  else
    (cd / && exec "$@")
  fi
}

# Sets _postgres_bin to the directory of the newest installed server.
_postgres_find() {
  local candidate
  _postgres_bin=
  for candidate in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV) \
    "$(pg_config --bindir 2>/dev/null)" "$(dirname "$(command -v initdb 2>/dev/null)" 2>/dev/null)"; do
    if [ -x "$candidate/initdb" ] && [ -x "$candidate/pg_ctl" ] && [ -x "$candidate/postgres" ]; then
      _postgres_bin=$candidate
      return 0
    fi
  done
  return 1
}

_postgres_install() {
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    _postgres_say 'PostgreSQL is not installed, and only root on Debian can install it'
    return 1
  fi
  _postgres_say 'installing PostgreSQL'
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  local setting=/etc/postgresql-common/createcluster.d/kibitz.conf failed=0
  # The common files and a setting come first, so that installing the server does not start one.
  "${apt[@]}" update </dev/null >&2 &&
    "${apt[@]}" install -y --no-install-recommends postgresql-common </dev/null >&2 &&
    mkdir -p "${setting%/*}" &&
    printf 'create_main_cluster = false\n' >"$setting" &&
    "${apt[@]}" install -y --no-install-recommends postgresql </dev/null >&2 || failed=1
  rm -f "$setting"
  return "$failed"
}

# Prints a loopback port that is free at the moment.
_postgres_free_port() {
  local port
  while :; do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      printf '%s\n' "$port"
      return 0
    fi
  done
}

postgres_start() {
  if [ -n "${TEST_POSTGRES_URL:-}" ]; then
    return 0
  fi
  _postgres_find || { _postgres_install && _postgres_find; } || return 1
  # In /tmp, because the other user may have no access to TMPDIR.
  _postgres_dir=$(_postgres_as mktemp -d /tmp/kibitz-postgres.XXXXXXXXXX) || return 1
  local password port attempt
  password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  # shellcheck disable=SC2016 # the inner shell expands it; the password does not appear in the output of ps
  if ! printf '%s\n' "$password" | _postgres_as sh -c 'umask 077; cat >"$1/password"' sh "$_postgres_dir" ||
    ! _postgres_as "$_postgres_bin/initdb" -D "$_postgres_dir/data" -U kibitz --pwfile="$_postgres_dir/password" \
      --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync --no-instructions \
      </dev/null >/dev/null; then
    postgres_stop
    return 1
  fi
  # The server does not wait for the disk, because its data may be lost in a crash.
  for attempt in 1 2 3 4 5; do
    port=$(_postgres_free_port)
    if _postgres_as "$_postgres_bin/pg_ctl" -D "$_postgres_dir/data" -l "$_postgres_dir/log" -w -t 60 -s \
      -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off \
          -c full_page_writes=off -c synchronous_commit=off -c shared_buffers=32MB -c max_connections=100 \
          -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off" \
      start </dev/null >/dev/null 2>&1; then
      export TEST_POSTGRES_URL="postgresql://kibitz:$password@127.0.0.1:$port/postgres"
      return 0
    fi
    # Another process may have taken the port in the meantime.
    _postgres_say "the server did not start (attempt $attempt)"
  done
  _postgres_as tail -n 20 "$_postgres_dir/log" >&2
  postgres_stop
  return 1
}

# Stops the server that postgres_start started, if any, and removes its files.
postgres_stop() {
  if [ -z "$_postgres_dir" ]; then
    return 0
  fi
  if _postgres_as test -f "$_postgres_dir/data/postmaster.pid"; then
    _postgres_as "$_postgres_bin/pg_ctl" -D "$_postgres_dir/data" -m immediate -w -t 60 -s stop </dev/null >/dev/null
  fi
  _postgres_as rm -rf -- "$_postgres_dir"
  _postgres_dir=
  unset TEST_POSTGRES_URL
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -u
  if [ $# -eq 0 ]; then
    _postgres_say 'a command to run is missing'
    exit 2
  fi
  trap postgres_stop EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  postgres_start || exit 1
  "$@"
  exit
fi
