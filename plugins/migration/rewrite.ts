/**
 * Reads every object of a collection and writes it back unchanged, page by page. If a continue token has expired, the list continues
 * after the same key at the current revision; objects written in between have the current form already.
 */
import { type Api, type ApiObject, StatusError } from "../../plugin.ts";

/** Objects per page, and concurrent writes. The store commits waiting writes together. */
const pageItems = 500, writersMax = 16;

export interface Collection {
  readonly groupVersion: string;
  readonly resource: string;
}

/** Options of one run over a collection. */
export interface Run {
  /** The continue token to start from; empty for the beginning. */
  readonly token: string;
  /** Called with the resourceVersion of each page. */
  readonly onList: (resourceVersion: string) => Promise<unknown>;
  /** Called for each object that is written, with the number of those that are not, if it is known. */
  readonly onWritten: (left: number | undefined) => void;
  /** Called with the next continue token when all objects before it are written. */
  readonly onProgress: (token: string) => Promise<unknown>;
  /** Checked between objects; the run ends early once it returns false. */
  readonly isActive: () => boolean;
}

/**
 * Rewrites all objects of a collection. Resolves with undefined, or with the message of a permanent error. Rejects with a transient
 * error, after which the run can be repeated.
 */
export async function rewriteAll(api: Api, { groupVersion, resource }: Collection, run: Run): Promise<string | undefined> {
  try {
    for (let token = run.token;;) {
      const page = await nextPage(api, { groupVersion, resource }, token);
      if (typeof page === "string") {
        await run.onProgress(token = page);
        continue;
      }
      await run.onList(page.metadata.resourceVersion);
      const { items, metadata: { continue: next = "", remainingItemCount: later = next === "" ? 0 : undefined } } = page;
      let written = 0;
      await forEachConcurrently(items, run.isActive, async (item) => {
        await rewrite(api, groupVersion, resource, item);
        written++;
        run.onWritten(later === undefined ? undefined : later + items.length - written);
      });
      token = next;
      if (token === "" || !run.isActive()) return undefined;
      await run.onProgress(token);
    }
  } catch (error) {
    if (error instanceof StatusError && !isTransient(error)) return error.message;
    throw error;
  }
}

/** A page, or the replacement of an expired token. */
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

/** Calls `work` for all items, at most `writersMax` at a time. The first failure ends it. */
async function forEachConcurrently<T>(items: readonly T[], isActive: () => boolean, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0, failed = false;
  const results = await Promise.allSettled(Array.from({ length: Math.min(writersMax, items.length) }, async () => {
    try {
      while (next < items.length && !failed && isActive()) await work(items[next++]!);
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
    // A concurrent write has stored the object in the current form already; a deleted object needs no write.
    if (!(error instanceof StatusError) || (error.reason !== "Conflict" && error.reason !== "NotFound")) throw error;
  }
}

/** Whether a retry may succeed: the server or its store is busy, unavailable or shutting down. */
function isTransient({ reason }: StatusError): boolean {
  return reason === "TooManyRequests" || reason === "ServerTimeout" || reason === "Timeout" || reason === "ServiceUnavailable";
}
