import { ConnectionError, errorCode } from "./frames.ts";

/** Flow-control window of one stream or of the connection: bytes that the other side may still send (RFC 9113, section 5.2). */
export class FlowWindow {
  readonly #bytes: number;
  readonly #increase: (bytes: number) => void;
  #left: number;
  #used = 0;

  /** `increase` is called with processed bytes once they are half of the window. */
  constructor(bytes: number, increase: (bytes: number) => void) {
    this.#bytes = bytes;
    this.#increase = increase;
    this.#left = bytes;
  }
  /** Counts received bytes. Throws if they exceed the window. */
  fill(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new ConnectionError(errorCode.flowControl, "The other side exceeded the flow-control window");
  }
  /** Counts processed bytes. */
  use(bytes: number): void {
    this.#used += bytes;
    if (this.#used < this.#bytes / 2) return;
    this.#left += this.#used;
    this.#increase(this.#used);
    this.#used = 0;
  }
}
