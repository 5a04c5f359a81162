// Each rule of validation violated once and fulfilled once, over HTTP, in all of its operations.
// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { again, serverArgs, tables } from "./tables.ts";
import { tryRule } from "./try-rule.ts";

describe("validation", () => {
  let server: TestServer | undefined;
  let client: Client | undefined;
  let names = 0;
  before(async () => {
    server = await startTestServer({ args: serverArgs });
    client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  });
  after(async () => {
    client?.close();
    await server?.close();
  });
  for (const kind of [...tables, ...again]) {
    // Those without a case are in inner_test.ts.
    for (const rule of kind.rules.filter(({ cases }) => cases.length > 0)) {
      it(`${kind.kind} ${rule.field}: ${rule.words} (${rule.error}, ${rule.on})`, async () => {
        assert.ok(client);
        await tryRule(client, kind, rule, () => `case-${++names}`);
      });
    }
  }
});
