# Which Debian packages the commands need, and how the missing ones get there. Sourced by ./dev.
# Debian 12 has every dependency. Only judges that tests ask come from npm, into the build folder (npm_packages.sh).

# Python too: CMake looks for it to define the script suites, whatever is built.
packages_build=(
  clang-19 lld-19 libclang-rt-19-dev ccache ninja-build cmake pkg-config python3
  libboost1.81-dev librocksdb-dev libsimdjson-dev libpq-dev prometheus-cpp-dev libspdlog-dev libfmt-dev
  libcli11-dev libtomlplusplus-dev libgtest-dev libgmock-dev libbenchmark-dev libabsl-dev libjemalloc-dev libssl-dev libxxhash-dev libre2-dev
  libprotobuf-dev libprotoc-dev libxml2-dev
)
# PostgreSQL for the store's tests, which start servers of their own; curl, jq and openssl for what the
# documentation's examples call.
packages_test=(postgresql curl jq openssl ca-certificates git)
# Node.js for judges; builds of it from elsewhere bring npm along and refuse Debian's.
command -v node >/dev/null || packages_test+=(nodejs)
command -v npm >/dev/null || packages_test+=(npm)
# The lint, and the symbolizer that makes a sanitizer's report readable.
packages_check=(clang-tidy-19 clang-format-19 llvm-19)

# missing_packages NAME…: those that are not installed, one a line.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
  printf '%s\n' "$@" | grep -vxF -e "$installed" || true
}

# Debian's postgresql package creates and starts a cluster of its own. The tests do not use it, and in a
# container nothing could start it, so say no before the first installation. A machine that has PostgreSQL,
# or that has an opinion in this file, keeps what it has.
decline_default_cluster() {
  local conf=/etc/postgresql-common/createcluster.conf
  [[ -e $conf ]] && return
  mkdir -p "${conf%/*}"
  echo "create_main_cluster = false" >"$conf"
}

# install_packages build|test|check: installs what is missing for that, silently if nothing is.
install_packages() {
  local wanted=("${packages_build[@]}") missing
  case $1 in
    build) ;;
    test) wanted+=("${packages_test[@]}") ;;
    check) wanted+=("${packages_test[@]}" "${packages_check[@]}") ;;
    *) fail "unknown package set: $1 (build, test or check)" ;;
  esac
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system; these must be there: ${wanted[*]}"
    return
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    fail "packages are missing; run: sudo apt-get install --no-install-recommends ${missing[*]}"
  fi

  say "installing ${missing[*]}"
  [[ " ${missing[*]} " == *" postgresql "* ]] && decline_default_cluster
  local log
  log=$(mktemp)
  if ! { apt-get -q update && DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    fail "apt-get failed; its whole output is in $log"
  fi
  rm -f "$log"
}
