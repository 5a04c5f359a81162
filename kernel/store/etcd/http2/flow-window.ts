/** How much the other end may still send, on one stream or on all together (RFC 9113, 5.2). */
export interface FlowWindow {
  /** So many bytes have come. Throws where they are more than there was room for. */
  fill(bytes: number): void;
  /** So many of them are used: there is room for as many more, which the other end is told when half of all is used. */
  use(bytes: number): void;
}

export function flowWindow(windowBytes: number, tell: (bytes: number) => void): FlowWindow {
  let left = windowBytes, used = 0;
  return {
    fill(bytes) {
      left -= bytes;
      if (left < 0) throw new Error("The server sent more than it was allowed");
    },
    use(bytes) {
      used += bytes;
      if (used < windowBytes / 2) return;
      left += used;
      tell(used);
      used = 0;
    },
  };
}
