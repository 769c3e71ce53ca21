# millrace_module(NAME USES a b): library millrace_NAME from src/NAME/**.cc, test NAME_test from its
# *_test.cc, fuzzers from its *_fuzz.cc (preset fuzz only).
function(millrace_module name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main)\\.cc$")

  list(APPEND sources ${MILLRACE_EMBEDDED_${name}})
  if(sources)
    add_library(millrace_${name} STATIC ${sources})
    set(link PUBLIC)
  else()
    add_library(millrace_${name} INTERFACE)
    set(link INTERFACE)
  endif()
  target_include_directories(millrace_${name} ${link} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(millrace_${name} ${link} millrace_external ${MILLRACE_LINK_${name}})
  foreach(used ${ARG_USES})
    target_link_libraries(millrace_${name} ${link} millrace_${used})
  endforeach()

  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE millrace_${name} GTest::gmock GTest::gtest_main)
    add_test(NAME ${name}_test COMMAND ${name}_test --gtest_brief=1)
  endif()
  if(MILLRACE_FUZZ)
    foreach(fuzzer ${fuzzers})
      get_filename_component(target ${fuzzer} NAME_WE)
      add_executable(${target} ${fuzzer})
      target_link_libraries(${target} PRIVATE millrace_${name})
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()

# Third-party libraries by the module that first needs them.
set(MILLRACE_LINK_base fmt::fmt spdlog::spdlog OpenSSL::Crypto absl::flat_hash_map absl::flat_hash_set absl::btree)
set(MILLRACE_LINK_json simdjson::simdjson)
set(MILLRACE_LINK_match re2)
set(MILLRACE_LINK_registry re2 protobuf::libprotobuf LibXml2::LibXml2)
# RocksDB is part of the program: calls into a library of its own, and its variables of each thread, cost 3 % of all
# processor time. Under a sanitizer it stays apart: functions that both have must not lose their checks, nor gain some.
if(MILLRACE_SANITIZE)
  set(MILLRACE_LINK_store RocksDB::rocksdb-shared PostgreSQL::PostgreSQL)
else()
  set(MILLRACE_LINK_store RocksDB::rocksdb PostgreSQL::PostgreSQL)
endif()
set(MILLRACE_LINK_async Threads::Threads)
set(MILLRACE_LINK_http OpenSSL::SSL prometheus-cpp::core)
set(MILLRACE_LINK_cli CLI11::CLI11 tomlplusplus::tomlplusplus)

# Files that a module carries inside the program.
include(cmake/embed.cmake)
millrace_embed(api api/openapi.yaml openapi_yaml)

# The version is told in one place, by project().
set_source_files_properties(src/app/version.cc PROPERTIES COMPILE_DEFINITIONS MILLRACE_VERSION="${PROJECT_VERSION}")
