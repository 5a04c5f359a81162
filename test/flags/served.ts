/** A server in process with some flags, for one test. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plugin } from "../../core/plugin.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { until } from "../real-server.ts";

export interface Served extends TestServer {
  /** An administrator. */
  readonly client: Client;
  readonly token: string;
  /** A request whose body does not end. */
  unfinished(method: string, path: string): { readonly answer: Promise<{ readonly status: number; readonly text: string }>; abort(): void };
}

/** A proof of a flag's effect. Its argument is the test's context, to skip on a machine that lacks a requirement. */
export type Proof = (context: { skip(reason: string): void }) => Promise<void>;

/** The collection for proofs. */
export const path = "/api/v1/namespaces/default/configmaps";
export async function make({ client }: Served, name: string): Promise<void> {
  assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name } } })).status, 201);
}
export async function statusOf({ client }: Served, of: string, headers: Record<string, string> = {}): Promise<number> {
  return (await client.ask(of, { headers })).status;
}

/** Starts, uses and closes a server; rejects with the error of the start. */
export async function served(args: readonly string[], use: (server: Served) => Promise<void>, plugins?: readonly Plugin[]): Promise<void> {
  const server = await startTestServer({ args, ...(plugins === undefined ? {} : { plugins }) });
  const token = server.tokens.admin;
  const client = httpsClient({ ...server, token });
  try {
    await use({ ...server, client, token, unfinished: (method, path) => unfinished(server, token, method, path) });
  } finally {
    client.close();
    await server.close();
  }
}

function unfinished({ port, ca }: TestServer, token: string, method: string, path: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": "1000" };
  const sent = request({ host: "127.0.0.1", port, ca, method, path, headers, agent: false });
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    sent.on("error", reject);
    sent.setTimeout(60_000, () => sent.destroy(new Error("no answer")));
    sent.on("response", async (response) => {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      sent.destroy();
      resolve({ status: response.statusCode ?? 0, text });
    });
  });
  answer.catch(() => {}); // An abort is not a failure.
  sent.write('{"metadata":');
  return { answer, abort: () => void sent.destroy() };
}

/** Waits until a write is in progress, so that it is counted. */
export async function holdsItsPlace({ client }: Pick<Served, "client">): Promise<void> {
  await until(async () =>
    assert.match((await client.ask("/metrics")).text, /^apiserver_current_inflight_requests\{request_kind="mutating"\} 1$/m)
  );
}

/** Calls `use` with a temporary folder. */
export async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-flags-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
