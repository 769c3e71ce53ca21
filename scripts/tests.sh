# Running what CTest knows and counting it. Sourced by ./dev.

# run_tests PRESET [FILTER…]: the suites of build/PRESET whose name matches one of the filters. Ends with
# "N passed, N failed" over the single cases of all suites; fails if one failed or none ran.
run_tests() {
  local preset=$1 results=build/$1/results.xml
  shift
  local selection=()
  (($#)) && selection=(-R "$(
    IFS='|'
    echo "$*"
  )")
  # Suites of scripts test no code that a sanitizer or a fuzzer could look into.
  [[ $preset == release || $preset == dev ]] || selection+=(-LE script)
  rm -f "$results"
  # The count needs the last lines of what a suite printed, so keep the tail of long outputs.
  ctest --test-dir "build/$preset" -j "$parallel" --output-on-failure --timeout 600 --output-junit "../../$results" \
    --test-output-size-passed 65536 --test-output-size-failed 262144 --test-output-truncation head \
    "${selection[@]}" || true
  python3 scripts/count_tests.py "$results"
}
