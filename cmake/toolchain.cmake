# Compiler, flags, linker. Coroutines decide the compiler: GCC before 13 destroys some temporaries
# twice in statements with co_await.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  message(FATAL_ERROR "GCC before 13 miscompiles co_await; use clang 19 (cmake --preset release)")
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# NDEBUG silences the assertions inside libraries' headers, which hash tables pay for with every look-up; ours
# (MR_ASSERT) stay, and the other presets keep both.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")

set(MILLRACE_SANITIZE "" CACHE STRING "sanitizers, comma separated")
option(MILLRACE_FUZZ "build the libFuzzer targets" OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wconversion
                    -Wno-sign-conversion -Wimplicit-fallthrough
                    -Wno-missing-designated-field-initializers -fno-omit-frame-pointer -march=x86-64-v2)
add_link_options(-fuse-ld=lld)
if(MILLRACE_SANITIZE)
  add_compile_options(-fsanitize=${MILLRACE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MILLRACE_SANITIZE})
endif()
