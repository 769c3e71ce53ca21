#!/bin/sh
# A PostgreSQL server for test scripts, with fsync on.
#   cluster.sh start DIR PORT        makes DIR if needed, starts the server, prints its URL
#   cluster.sh stop DIR [immediate]  stops it; immediate = without a checkpoint, as after a crash
set -eu

usage() { sed -n '2,4s/^# *//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
command=$1 dir=$2
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || { echo "no PostgreSQL in /usr/lib/postgresql" >&2; exit 1; }

# PostgreSQL refuses to run as root.
as_server() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups "$@"; else "$@"; fi
}

case $command in
  start)
    [ $# -eq 3 ] || usage
    port=$3
    mkdir -p "$dir"
    dir=$(cd "$dir" && pwd)
    [ "$(id -u)" != 0 ] || chown postgres:postgres "$dir"
    [ -e "$dir/data/PG_VERSION" ] ||
      as_server "$bin/initdb" --pgdata "$dir/data" --username postgres --auth trust --encoding UTF8 \
        --locale C.UTF-8 --no-sync --data-checksums >"$dir/initdb.log"
    as_server "$bin/pg_ctl" --pgdata "$dir/data" --wait --silent --log "$dir/data/server.log" \
      --options "-k '$dir' -h 127.0.0.1 -p $port" start >&2
    echo "postgresql://postgres@127.0.0.1:$port/postgres"
    ;;
  stop)
    [ $# -le 3 ] || usage
    as_server "$bin/pg_ctl" --pgdata "$dir/data" --wait --silent --mode "${3:-fast}" stop >&2
    ;;
  *) usage ;;
esac
