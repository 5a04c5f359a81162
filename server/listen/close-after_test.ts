// Connections of clients that want them closed after the answer end then, also if the request is answered without its body.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rawConnection, readAll, textReply, withServer } from "./testing/clients.ts";

const heads = { "HTTP/1.1": "connection: close\r\n", "HTTP/1.0": "" };

for (const [version, close] of Object.entries(heads)) {
  for (const [what, sent] of [["whole", "a".repeat(60)], ["incomplete", "a"]] as const) {
    test(
      `a connection of ${version} ends after the answer to a request whose ${what} body is not read`,
      { timeout: 60_000 },
      () =>
        withServer(() => Promise.resolve({ ...textReply("no"), status: 401 }), async ({ listener, ca }) => {
          const socket = await rawConnection(listener, ca);
          const all = readAll(socket);
          socket.write(`POST / ${version}\r\nhost: x\r\ncontent-length: 60\r\n${close}\r\n${sent}`);
          assert.match(await all, /^HTTP\/1\.1 401 .*\r\n\r\nno$/s);
        }),
    );
  }
}

test(
  "a connection of HTTP/1.1 stays open after the answer to a request whose body is not read",
  { timeout: 60_000 },
  () =>
    withServer(() => Promise.resolve({ ...textReply("no"), status: 401 }), async ({ listener, ca }) => {
      const socket = await rawConnection(listener, ca);
      const all = readAll(socket);
      const request = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc`;
      socket.write(request);
      socket.write(request.replace("host: x", "host: x\r\nconnection: close"));
      assert.equal((await all).split("HTTP/1.1 401").length, 3);
    }),
);
