/** A sink of lines. */
export interface LineSink {
  /** Resolves with an error for each line that was not written, by its index. Rejects if nothing was written. */
  append(lines: readonly Uint8Array[]): Promise<ReadonlyMap<number, string>>;
  close(): Promise<void>;
}
