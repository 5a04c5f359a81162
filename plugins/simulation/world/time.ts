/** Times of the simulation. */

/** A time as the API writes it, in whole seconds, of milliseconds since 1970. */
export function timestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
