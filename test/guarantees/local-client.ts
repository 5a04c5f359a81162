/** A client of the loads that calls a test server in this process. */
import type { TestServer } from "../../testing.ts";
import type { Client } from "../https.ts";

/** A client that calls a server in this process. */
export function clientOf(server: TestServer): Client {
  const send = (path: string, { method = "GET", body, signal, headers = {} }: Parameters<Client["ask"]>[1] = {}) =>
    server.handle(
      new Request(`https://test${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  return {
    async ask(path, ask) {
      const response = await send(path, ask), bytes = new Uint8Array(await response.arrayBuffer()), text = new TextDecoder().decode(bytes);
      return { status: response.status, headers: Object.fromEntries(response.headers), bytes, text, json: () => JSON.parse(text) };
    },
    async stream(path, ask) {
      const response = await send(path, ask);
      return { status: response.status, headers: Object.fromEntries(response.headers), chunks: response.body! };
    },
    close() {},
  };
}
