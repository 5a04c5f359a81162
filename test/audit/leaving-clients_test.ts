// A client cannot hide a request from the audit log by leaving.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder } from "../flags/served.ts";
import { startTestServer } from "../harness.ts";
import { type Ask, httpsClient } from "../https.ts";
import { until } from "../real-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const policy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n";

test("each request has exactly one last event, also if its client leaves before or during the answer", () =>
  inFolder(async (folder) => {
    const file = join(folder, "policy.yaml"), log = join(folder, "audit.log");
    await writeFile(file, policy);
    const server = await startTestServer({ args: [`--audit-policy-file=${file}`, `--audit-log-path=${log}`] });
    const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin, single: true });
    /** The stages of a request so far. */
    const stagesOf = async (id: string): Promise<readonly string[]> => {
      const lines = (await readFile(log, "utf8").catch(() => "")).split("\n").filter((line) => line.includes(id));
      return lines.map((line) => JSON.parse(line)).filter(({ auditID }) => auditID === id).map(({ stage }) => stage);
    };
    /** Sends a request and leaves as soon as the server has begun to work on it. */
    const leave = async (path: string, ask: Ask): Promise<string> => {
      const id = crypto.randomUUID(), leaving = new AbortController();
      const answer = client.stream(path, { ...ask, headers: { ...ask.headers, "audit-id": id }, signal: leaving.signal }).then(
        async ({ chunks }) => {
          for await (const _ of chunks);
        },
      ).catch(() => {});
      await until(async () => assert.ok((await stagesOf(id)).includes("RequestReceived")));
      leaving.abort();
      await answer;
      return id;
    };
    try {
      const body = { metadata: { generateName: "a-" }, data: { a: "x".repeat(100_000) } };
      const left = [
        await leave(`${configMaps}?watch=1`, {}),
        await leave("/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", {}),
        await leave(configMaps, { method: "POST", body }),
        await leave(configMaps, {}),
        await leave(`${configMaps}?watch=1`, { method: "HEAD" }),
        await leave("/openapi/v2", {}),
      ];
      for (const id of left) {
        const last = async () => (await stagesOf(id)).filter((stage) => stage === "ResponseComplete" || stage === "Panic");
        await until(async () => assert.deepEqual(await last(), ["ResponseComplete"], `${left.indexOf(id)}`));
      }
      // A later event would follow those.
      const after = crypto.randomUUID();
      await client.ask(configMaps, { headers: { "audit-id": after } });
      await until(async () => assert.ok((await stagesOf(after)).includes("ResponseComplete")));
      for (const id of left) assert.equal((await stagesOf(id)).filter((stage) => stage === "ResponseComplete").length, 1);
    } finally {
      client.close();
      await server.close();
    }
  }));
