// What an XSD schema declares, as plain data: enough to compare two of them without the library that parsed them.
#pragma once

#include <string>
#include <vector>

#include "registry/compatibility.h"

namespace millrace::registry {

struct XsdPart {
  std::string path;        // names of what encloses it, and its own: "/order/line/@sku"
  std::string kind;        // "element", "attribute" or the name of a facet
  std::string value = {};  // the type of an element or attribute, the value of a facet
  bool required = false;   // minOccurs above 0, use="required"
  std::string most = {};   // maxOccurs
};

using XsdShape = std::vector<XsdPart>;

// The table for JSON Schemas on declarations by their path. Names, not structure: a declaration that moves into
// another group of the same element is no change.
Comparison compare_xsd(const XsdShape& old_shape, const XsdShape& new_shape);

}  // namespace millrace::registry
