/** When an object has last changed, as far as its own times say it. */
import type { ApiObject } from "../../../plugin.ts";

/** What statuses of most kinds have. Those of custom resources can be anything. */
interface Timed {
  readonly startTime?: unknown;
  readonly conditions?: unknown;
}

/** When the deletion of an object was requested, in milliseconds since 1970: its time of grace ends at the deletion timestamp. Undefined if it was not. */
export function deletionRequested({ metadata: { deletionTimestamp, deletionGracePeriodSeconds } }: ApiObject): number | undefined {
  const end = timeOf(deletionTimestamp);
  return end === undefined ? undefined : end - Number(deletionGracePeriodSeconds ?? 0) * 1_000;
}

/** The latest of the times of creation, start, conditions and deletion; undefined for an object without times. */
export function lastChange(object: ApiObject): number | undefined {
  const { metadata, status } = object as { readonly status?: Timed | null } & ApiObject, { conditions } = status ?? {};
  const all = Array.isArray(conditions) ? conditions as readonly ({ readonly lastTransitionTime?: unknown } | null)[] : [];
  const texts = [metadata.creationTimestamp, status?.startTime, ...all.map((each) => each?.lastTransitionTime)];
  const times = [...texts.map(timeOf), deletionRequested(object)].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : times.reduce((latest, time) => Math.max(latest, time));
}

/** Milliseconds since 1970 of a time of the API; undefined for what is none. */
export function timeOf(text: unknown): number | undefined {
  const ms = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
