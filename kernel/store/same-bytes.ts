/** Whether both hold the same bytes. Uses the global `Buffer` of both runtimes, so that importers need no node module. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
