// The statements of a group commit, one a table. Every one finds its rows by their primary key.
#pragma once

#include "store/postgres/connection.h"

namespace millrace::store::postgres {

extern const Statement kInsertLanes;
extern const Statement kInsertLaneTags;
extern const Statement kInsertBodies;
extern const Statement kInsertNewStates;
extern const Statement kInsertStates;
extern const Statement kUpdateStates;
extern const Statement kDeleteStates;
extern const Statement kDeleteBodies;
extern const Statement kDeleteLogs;
extern const Statement kDeleteLeftLanes;
extern const Statement kInsertLog;
extern const Statement kUpsertDedup;
extern const Statement kUpsertCounters;
extern const Statement kDeleteQueueCounts;
extern const Statement kUpsertQueueCounts;
extern const Statement kUpsertDocuments;
extern const Statement kDeleteDocuments;
extern const Statement kInsertAudit;
extern const Statement kUpsertWorkers;
extern const Statement kDeleteWorkers;

}  // namespace millrace::store::postgres
