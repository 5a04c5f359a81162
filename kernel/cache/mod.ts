/** The watch cache: serves reads from memory, over any store. */
export { type CacheContents, type OpenedReads, openReads, type ReadsOptions } from "./open-reads.ts";
export type { CacheState } from "./watch-cache.ts";
export { cacheMetrics } from "./metrics.ts";
