import type { AuditBackend } from "../../../core/audit/backend.ts";

/** Sends events to each backend. */
export function allBackends(backends: readonly AuditBackend[]): AuditBackend {
  const [first] = backends;
  if (first !== undefined && backends.length === 1) return first;
  return {
    async process(events) {
      const outcomes = await Promise.all(backends.map((backend) => backend.process(events)));
      return outcomes.every(Boolean);
    },
    close: async (signal) => void await Promise.all(backends.map((backend) => backend.close(signal))),
  };
}
