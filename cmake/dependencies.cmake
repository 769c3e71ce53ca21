# Debian packages only; ./dev installs them.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(GTest REQUIRED)
find_package(absl REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(simdjson REQUIRED)
find_package(RocksDB REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(Protobuf REQUIRED)
find_package(LibXml2 REQUIRED)

# One interface target for every third-party header: they are system headers, free of our warnings.
add_library(millrace_external INTERFACE)
target_compile_definitions(millrace_external INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_DISABLE_BOOST_COROUTINE BOOST_BEAST_USE_STD_STRING_VIEW)
