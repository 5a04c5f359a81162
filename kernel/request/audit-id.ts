/** The audit ID of a request, for clients, logs and audit events: the client's Audit-ID header, or a generated one. */
import { limits } from "../../core/limits.ts";
import type { Exchange } from "./exchange.ts";

/** The `audit-id` of the response. A header longer than `limits.auditIdLengthMax` is ignored. */
export function auditIdOf({ headers }: Pick<Exchange, "headers">): string {
  const sent = headers["audit-id"];
  const id = typeof sent === "string" ? sent : sent?.[0] ?? "";
  return id === "" || id.length > limits.auditIdLengthMax ? crypto.randomUUID() : id;
}
