export { type Audit, AuditFailure, type AuditNeeds, type AuditRecord, openAudit, writer } from "./audit.ts";
export { allBackends, type AuditBackend, ignoringErrors, type LostEvents } from "./backend.ts";
export { type BatchOptions, buffered } from "./buffered.ts";
export { truncating } from "./truncate.ts";
