/** `/` for a browser: a page that the process hands to the kernel. Other clients get the index of paths. */
import type { Checks } from "../../health/mod.ts";
import type { StatusError } from "../../core/status-error.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Exchange, header, type Reply } from "../request/exchange.ts";
import type { RequestInfo } from "../request/request-info.ts";

/** The path whose right the page needs as well: it shows what the metrics have. */
export const pageRight = "/metrics";

/** Whether the user of the request may get a path. */
export type MayGet = (path: string) => Promise<boolean>;

/** The page for a user with the right to it. */
export type StatusPage = (info: RequestInfo, catalog: Catalog, checks: Checks, mayGet: MayGet) => Promise<Reply>;

/** The page for a browser without credentials or rights; undefined for other errors. */
export type RefusedPage = (error: StatusError) => Reply | undefined;

/** Whether a browser asks for the page: its `Accept` begins with HTML, which no other client sends. */
export function wantsPage(exchange: Exchange, { path, verb }: RequestInfo): boolean {
  return (path === "/" || path === "/index.html") && verb === "get" &&
    (header(exchange, "accept") ?? "").trimStart().startsWith("text/html");
}
