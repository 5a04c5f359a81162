/** A client over node:http2 that sends refused requests again: a GOAWAY refuses those that were not sent yet. */
import { http2Client } from "../../test/http2.ts";
import type { Client, Place } from "../../test/https.ts";

const attemptsMax = 5;

/** `refused` is called for each request that is sent again. */
export function retryingHttp2Client(place: Place, refused: () => void = () => {}): Client {
  const client = http2Client(place);
  async function again<T>(send: () => Promise<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      try {
        return await send();
      } catch (error) {
        const isRefused = error instanceof Error && "refused" in error && error.refused === true;
        if (!isRefused || attempt === attemptsMax) throw error;
        refused();
      }
    }
  }
  return {
    ask: (path, ask) => again(() => client.ask(path, ask)),
    stream: (path, ask) => again(() => client.stream(path, ask)),
    close: client.close,
  };
}
