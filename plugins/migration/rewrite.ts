/**
 * Every object of a collection is read and written back as it is, page by page. Where a list can no longer go on from where it
 * was, because that is history by now, it goes on from there in what is there now: what came in between is written in the
 * current form already.
 */
import type { Api, ApiObject } from "../../core/plugin.ts";
import { StatusError } from "../../core/status-error.ts";

/** Objects that are read at once, and how many of them are written side by side: the store takes waiting writes together. */
const pageItems = 500, writersMax = 16;

export interface Collection {
  readonly groupVersion: string;
  readonly resource: string;
}

/** A run over a collection, which may have been begun before. */
export interface Run {
  /** Where to go on; empty for the beginning. */
  readonly token: string;
  /** Told the version of each page's list. */
  readonly begun: (resourceVersion: string) => Promise<unknown>;
  /** Told where the rest begins, once everything before it is written. */
  readonly passed: (token: string) => Promise<unknown>;
  /** False ends the run. */
  readonly isWanted: () => boolean;
}

/** Why not everything could be written; undefined when it could. What may be well in a moment is thrown. */
export async function rewriteAll(api: Api, { groupVersion, resource }: Collection, run: Run): Promise<string | undefined> {
  try {
    for (let token = run.token;;) {
      const page = await nextPage(api, { groupVersion, resource }, token);
      if (typeof page === "string") {
        await run.passed(token = page);
        continue;
      }
      await run.begun(page.metadata.resourceVersion);
      await sideBySide(page.items, run.isWanted, (item) => rewrite(api, groupVersion, resource, item));
      token = page.metadata.continue ?? "";
      if (token === "" || !run.isWanted()) return undefined;
      await run.passed(token);
    }
  } catch (error) {
    if (error instanceof StatusError && !isPassing(error)) return error.message;
    throw error;
  }
}

/** A page, or the token to take instead of one that is too old. */
async function nextPage(
  api: Api,
  { groupVersion, resource }: Collection,
  token: string,
): Promise<Awaited<ReturnType<Api["list"]>> | string> {
  try {
    return await api.list(groupVersion, resource, "", { limit: `${pageItems}`, ...(token === "" ? {} : { continue: token }) });
  } catch (error) {
    if (token !== "" && error instanceof StatusError && error.reason === "Expired") return error.continue ?? "";
    throw error;
  }
}

/** Works on the items, a few at a time; the first failure ends it. */
async function sideBySide<T>(items: readonly T[], isWanted: () => boolean, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0, failed = false;
  const results = await Promise.allSettled(Array.from({ length: Math.min(writersMax, items.length) }, async () => {
    try {
      while (next < items.length && !failed && isWanted()) await work(items[next++]!);
    } catch (error) {
      failed = true;
      throw error;
    }
  }));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

async function rewrite(api: Api, groupVersion: string, resource: string, item: ApiObject): Promise<void> {
  const { name = "", namespace = "" } = item.metadata;
  try {
    await api.update(groupVersion, resource, namespace, name, item);
  } catch (error) {
    // Whoever changed it in the meantime wrote it anew; what is gone need not be written.
    if (!(error instanceof StatusError) || (error.reason !== "Conflict" && error.reason !== "NotFound")) throw error;
  }
}

/** Whether the same may be well in a moment: the server or its store is busy, away or about to end. */
function isPassing({ reason }: StatusError): boolean {
  return reason === "TooManyRequests" || reason === "ServerTimeout" || reason === "Timeout" || reason === "ServiceUnavailable";
}
