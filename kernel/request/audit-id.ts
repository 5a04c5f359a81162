/** The audit ID of a request, for clients, logs and audit events: the client's Audit-ID header, or a generated one. */
import type { Exchange } from "./exchange.ts";
import { bound } from "../../core/bound.ts";

/** Characters of an audit id that a client gives. A longer one is replaced. */
export const auditIdLengthMax = bound(1024);

/** The `audit-id` of the response. A header longer than `auditIdLengthMax` is ignored. */
export function auditIdOf({ headers }: Pick<Exchange, "headers">): string {
  const sent = headers["audit-id"];
  const id = typeof sent === "string" ? sent : sent?.[0] ?? "";
  return id === "" || id.length > auditIdLengthMax ? crypto.randomUUID() : id;
}
