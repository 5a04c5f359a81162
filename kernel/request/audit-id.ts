/** The id of a request, for clients and logs to name it by: what the client sent in its Audit-ID header, or one that is made here. */
import { limits } from "../../core/limits.ts";
import type { Exchange } from "./exchange.ts";

/** What stands in the answer's `audit-id`. A header that is too long to be an id is none. */
export function auditIdOf({ headers }: Pick<Exchange, "headers">): string {
  const sent = headers["audit-id"];
  const id = typeof sent === "string" ? sent : sent?.[0] ?? "";
  return id === "" || id.length > limits.auditIdLengthMax ? crypto.randomUUID() : id;
}
