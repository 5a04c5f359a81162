import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { checkFree } from "./free-port.ts";

test("checkFree() rejects for a port in use, also if that one can be shared", async () => {
  for (const reusePort of [false, true]) {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen({ port: 0, host: "127.0.0.1", reusePort }, () => resolve((server.address() as { port: number }).port))
    );
    await assert.rejects(checkFree("127.0.0.1", port), /^Error: cannot listen on 127\.0\.0\.1, port \d+: .*(EADDRINUSE|in use)/);
    await new Promise((resolve) => server.close(resolve));
    await checkFree("127.0.0.1", port);
  }
});
