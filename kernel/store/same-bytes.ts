/** Whether both hold the same bytes. `Buffer` is the global one of both runtimes: modules of node stay where the machine is touched. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
