# What must hold before a commit. Sourced by ./dev.

check_steps=(format tidy house asan tsan fuzz)

# Where Debian puts it; the sanitizers look for a name without the version.
symbolizer=/usr/lib/llvm-19/bin/llvm-symbolizer

# run_check [STEP…]: runs the steps, all of them even if one fails, and says at the end which did.
run_check() {
  local steps=("$@") step failed=()
  ((${#steps[@]})) || steps=("${check_steps[@]}")
  for step in "${steps[@]}"; do
    [[ " ${check_steps[*]} " == *" $step "* ]] || fail "unknown step: $step (${check_steps[*]})"
  done
  if ((${#steps[@]} == 1)); then
    say "check ${steps[0]}"
    "check_${steps[0]}"
    return
  fi
  for step in "${steps[@]}"; do
    # A process of its own: `set -e` would not hold in a function whose outcome is looked at.
    ./dev check "$step" || failed+=("$step")
  done
  ((${#failed[@]} == 0)) || fail "check failed: ${failed[*]}"
  say "check passed: ${steps[*]}"
}

cpp_sources() {
  find src include tests bench \( -name '*.cc' -o -name '*.h' \) -print0 2>/dev/null || true
}

# format_sources OPTION…: clang-format over every C++ file.
format_sources() {
  cpp_sources | xargs -0 --no-run-if-empty clang-format-19 "$@"
}

check_format() { format_sources --dry-run -Werror; }

check_tidy() {
  build release
  python3 scripts/tidy.py --jobs "$parallel" build/release
}

check_house() { python3 scripts/run_unittests.py tests/house tests/docs scripts; }

check_asan() { check_under asan; }
check_tsan() { check_under tsan; }

check_under() {
  build "$1"
  ASAN_SYMBOLIZER_PATH=$symbolizer TSAN_OPTIONS="external_symbolizer_path=$symbolizer" run_tests "$1"
}

# Every *_fuzz.cc for a bounded time, with the dictionary beside it if there is one (NAME.dict). What a fuzzer learns
# stays in .cache/ and helps the next run.
check_fuzz() {
  local names name dictionary
  mapfile -t names < <(find src -name '*_fuzz.cc' -printf '%f\n' | sed 's/\.cc$//' | sort)
  if ((${#names[@]} == 0)); then
    say "no fuzzers"
    return
  fi
  build fuzz "${names[@]}"
  for name in "${names[@]}"; do
    mkdir -p ".cache/fuzz/$name"
    dictionary=$(find src -name "$name.dict")
    say "fuzzing $name for ${FUZZ_SECONDS:-20} s"
    ASAN_SYMBOLIZER_PATH=$symbolizer quietly "build/fuzz/$name" -max_total_time="${FUZZ_SECONDS:-20}" \
      -timeout=10 -artifact_prefix=".cache/fuzz/$name-" ${dictionary:+-dict="$dictionary"} ".cache/fuzz/$name"
  done
}
