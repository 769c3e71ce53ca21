// What may become of an event type (S3.5): versions only move forward, schemas change only while they are being
// finalised, and no minor version breaks the one before it (S2.5). Pure: the catalog stores what comes out.
#pragma once

#include "base/result.h"
#include "registry/event_type.h"

namespace millrace::registry {

// A type that is registered for the first time. Errc::invalid for a schema that does not compile, with the path
// ("specVersions[0].schema") and the reason; Errc::conflict for a minor version that breaks the one before it, with
// each breaking change named.
Result<void> check_new_type(const EventType& type);

// `old_type` replaced by `new_type`. Besides the above Errc::conflict for:
// - a version that goes back (FINALISING → CURRENT → DEPRECATED; leaving one out is forward),
// - a schema that changes when it is no longer FINALISING. Where it describes the whole envelope (S2's folder)
//   compatible changes pass: there an added optional field needs no new version,
// - a version that is gone when it is no longer FINALISING.
// REQUIRES: the same code.
Result<void> check_type_change(const EventType& old_type, const EventType& new_type);

}  // namespace millrace::registry
