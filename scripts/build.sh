# Configuring and compiling. Sourced by ./dev.

# build [PRESET] [TARGET…]: brings build/PRESET up to date; everything if no target is named.
build() {
  local preset=${1:-release}
  (($#)) && shift
  # Ninja configures again by itself when a CMakeLists.txt changes, but does not watch the presets.
  if [[ ! -f build/$preset/build.ninja || CMakePresets.json -nt build/$preset/build.ninja ]]; then
    quietly cmake --preset "$preset" || return
  fi
  local targets=()
  (($#)) && targets=(--target "$@")
  NINJA_STATUS="[$preset %f/%t] " cmake --build "build/$preset" -j "$parallel" "${targets[@]}" >&2
}

# quietly COMMAND…: runs it, and shows what it printed only if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  ((status == 0)) || cat "$log" >&2
  rm -f "$log"
  return "$status"
}
