// In Deno's suite only: nothing here depends on the runtime.
// An audit backend of a plugin, that of docs/writing-a-plugin.md: its events, its failures and its end.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { AuditBackendDefinition } from "../core/audit/backend.ts";
import type { Plugin } from "../core/plugin.ts";
import { definePlugin } from "../plugin.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { send } from "./requests.ts";

async function inFolder(use: (folder: string, settings: { readonly "audit-policy-file": string }) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-audit-backend-")), policy = join(folder, "policy.yaml");
  try {
    await writeFile(policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n");
    await use(folder, { "audit-policy-file": policy });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const path = "/api/v1/namespaces/default/configmaps";

function pluginWith(definition: Omit<AuditBackendDefinition, "name" | "summary">): Plugin {
  const auditBackends = [{ name: "own", summary: "Of this test.", ...definition }];
  return definePlugin({ name: "own-audit", summary: "Audit events of this test.", auditBackends });
}

async function lostBy(server: TestServer): Promise<string | undefined> {
  const { text } = await send(server, "GET", "/metrics").then(async (response) => ({ text: await response.text() }));
  return /^apiserver_audit_error_total\{plugin="own"\} (\d+)$/m.exec(text)?.[1];
}

test("the backend of the page gets the recorded events, complete when the server has closed", () =>
  inFolder(async (folder, settings) => {
    const page = await readFile(new URL("../docs/writing-a-plugin.md", import.meta.url), "utf8");
    const code = /^```ts audit-lines\n([\s\S]*?)^```$/m.exec(page)?.[1];
    assert.ok(code !== undefined, "the block of the page");
    const file = join(folder, "audit-lines.ts"), lines: string[] = [];
    await writeFile(file, code.replaceAll('"thole/plugin"', JSON.stringify(new URL("../plugin.ts", import.meta.url).href)));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    const { auditLinesPlugin } = await import(pathToFileURL(file).href);
    const server = await openTestServer({ plugins: [auditLinesPlugin(lines)], settings });
    try {
      assert.equal((await send(server, "GET", path)).status, 200);
    } finally {
      await server.close();
    }
    const events = lines.map((line) => JSON.parse(line)).filter(({ requestURI }) => requestURI === path);
    assert.deepEqual(
      events.map(({ kind, apiVersion, stage, verb, objectRef }) => [kind, apiVersion, stage, verb, objectRef.resource]),
      [["Event", "audit.k8s.io/v1", "RequestReceived", "list", "configmaps"], [
        "Event",
        "audit.k8s.io/v1",
        "ResponseComplete",
        "list",
        "configmaps",
      ]],
    );
  }));

test("a backend that blocks fails requests whose first event it refuses; one that throws or rejects loses events, which are counted", () =>
  inFolder(async (_, settings) => {
    const answers = new Map<string, () => boolean | Promise<boolean>>([
      [`${path}/refused`, () => false],
      [`${path}/thrown`, () => {
        throw new Error("the disk is gone");
      }],
      [`${path}/rejected`, () => Promise.reject(new Error("no connection"))],
    ]);
    let closed = 0;
    const plugin = pluginWith({
      blocks: true,
      open: () => ({
        process: ([first]) => answers.get(first!.event.requestUri)?.() ?? true,
        close: () => Promise.resolve(void closed++),
      }),
    });
    const server = await openTestServer({ plugins: [plugin], settings });
    try {
      assert.equal((await send(server, "GET", path)).status, 200);
      assert.equal((await send(server, "GET", `${path}/refused`)).status, 500);
      assert.equal(await lostBy(server), undefined);
      // Two stages each.
      for (const name of ["thrown", "rejected"]) assert.equal((await send(server, "GET", `${path}/${name}`)).status, 404);
      assert.equal(await lostBy(server), "4");
    } finally {
      await server.close();
    }
    assert.equal(closed, 1);
  }));

test("a backend that cannot be opened is an error of the start", () =>
  inFolder(async (_, settings) => {
    const plugin = pluginWith({ open: () => Promise.reject(new Error("no broker")) });
    await assert.rejects(openTestServer({ plugins: [plugin], settings }), /cannot open the audit backend own: no broker/);
  }));
