# millrace_embed(MODULE FILE SYMBOL): FILE as bytes in the module, millrace::embedded::SYMBOL and SYMBOL_size.
# Written at configure time, and again when the file changes; call it before the module is made.
function(millrace_embed module file symbol)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  set(text "// Made from ${file}; do not edit.\n#include <cstddef>\nnamespace millrace::embedded {\n")
  string(APPEND text "extern const unsigned char ${symbol}[];\nextern const std::size_t ${symbol}_size;\n")
  string(APPEND text "const unsigned char ${symbol}[] = {${bytes}};\n")
  string(APPEND text "const std::size_t ${symbol}_size = sizeof ${symbol};\n}  // namespace millrace::embedded\n")
  set(source ${PROJECT_BINARY_DIR}/embedded/${symbol}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
  set(MILLRACE_EMBEDDED_${module} ${MILLRACE_EMBEDDED_${module}} ${source} PARENT_SCOPE)
endfunction()
