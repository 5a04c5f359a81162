export { allBackends } from "./all-backends.ts";
export { type Audit, AuditFailure, type AuditNeeds, type AuditRecord, openAudit, writer } from "./audit.ts";
