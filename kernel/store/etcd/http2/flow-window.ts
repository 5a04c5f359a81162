/** Flow-control window of one stream or of the connection: bytes that the server may still send (RFC 9113, section 5.2). */
export interface FlowWindow {
  /** Counts received bytes. Throws if they exceed the window. */
  fill(bytes: number): void;
  /** Counts processed bytes; calls `increase` once they are half of the window. */
  use(bytes: number): void;
}

export function flowWindow(windowBytes: number, increase: (bytes: number) => void): FlowWindow {
  let left = windowBytes, used = 0;
  return {
    fill(bytes) {
      left -= bytes;
      if (left < 0) throw new Error("The server exceeded the flow-control window");
    },
    use(bytes) {
      used += bytes;
      if (used < windowBytes / 2) return;
      left += used;
      increase(used);
      used = 0;
    },
  };
}
