#!/usr/bin/env bash
# npm_packages.sh BUILD_FOLDER NAME@VERSION…: installs packages of npm that judge our answers in tests, once for each
# set, under BUILD_FOLDER/npm, and prints the folder to give Node.js as NODE_PATH. Fails aloud where npm cannot be
# reached: a judge that did not sit has not agreed. Nothing of this is part of the program or of the repository.
set -euo pipefail

(($# >= 2)) || { echo "usage: npm_packages.sh BUILD_FOLDER NAME@VERSION…" >&2; exit 2; }
build=$1
shift
for package in "$@"; do
  [[ $package =~ .@[0-9] ]] || { echo "npm_packages.sh: $package names no version" >&2; exit 2; }
done
for program in node npm; do
  command -v "$program" >/dev/null || { echo "npm_packages.sh: $program is missing; run ./dev install" >&2; exit 1; }
done

set_name=$(printf '%s\n' "$@" | LC_ALL=C sort | tr '/\n' '__')
folder=$build/npm/${set_name%_}
mkdir -p "$build/npm"
# Suites run side by side; the first one installs, the others wait for it.
exec 9>"$build/npm/lock"
flock 9
if [[ ! -d $folder ]]; then
  fresh=$(mktemp -d "$build/npm/fresh.XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  # Without a manifest npm would look for one further up.
  echo '{"private": true}' >"$fresh/package.json"
  if ! npm install --prefix "$fresh" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts \
    --loglevel=error "$@" >"$fresh/npm.log" 2>&1; then
    cat "$fresh/npm.log" >&2
    echo "npm_packages.sh: npm could not install $*; the tests that ask it cannot run" >&2
    exit 1
  fi
  mv "$fresh" "$folder"
fi
echo "$folder/node_modules"
