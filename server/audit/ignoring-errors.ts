import type { AuditBackend } from "../../core/audit/backend.ts";

/** Delivers events synchronously, but does not fail requests for lost events (`--audit-log-mode=blocking`). */
export function ignoringErrors(backend: AuditBackend): AuditBackend {
  return {
    async process(events) {
      await backend.process(events);
      return true;
    },
    close: (signal) => backend.close(signal),
  };
}
