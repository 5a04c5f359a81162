// A request is handed over to the heavy thread only while it has changed nothing.
// In Deno's suite only: nothing here depends on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { spendSteps } from "../../core/budget.ts";
import { definePlugin } from "../../core/define/define.ts";
import { object } from "../../core/meta/object.ts";
import type { Admission } from "../../core/plugin.ts";
import type { RequestHookContext } from "../../core/hook-context.ts";
import { withDefaults } from "../../server/config/parse.ts";
import { openServer } from "../../server/startup/open-server.ts";
import { errorReply, replies } from "../handle.ts";
import { silentLog } from "../observe/log.ts";
import type { AuditNotes } from "../../core/audit/notes.ts";
import type { Exchange } from "../request/exchange.ts";
import type { HeavyRequest, HeavyWork } from "../request/hand-over.ts";
import { requestInfo } from "../request/request-info.ts";
import { route } from "../request/route.ts";
import { Warnings } from "../request/warnings.ts";
import { inlineBodyBytesMax, inlineStepsMax } from "../request-context.ts";
import { toStatusError } from "../respond/failure.ts";
import { dispatch } from "./dispatch.ts";

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const thing = (name: string, more: object = {}) => ({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name, ...more } });

/** A server of things with an admission step, and requests to it whose heavy thread answers with 299. */
async function scene(step: Omit<Admission, "name" | "resources">) {
  const plugin = definePlugin({
    name: "things",
    summary: "For tests.",
    resources: [{
      kind: "Thing",
      scope: "Cluster",
      summary: "A thing.",
      storedAs: "example.com/v1",
      storedUnder: "things",
      served: { "example.com/v1": { schema: object("Thing", {}, { doc: "A thing." }), introduced: "1.0" } },
    }],
    admission: [{ name: "Step", resources: "all", ...step }],
  });
  const { server, close } = await openServer({ config: withDefaults({ "data-dir": ":memory:" }), plugins: [plugin], log: silentLog });
  const handedOver: HeavyRequest[] = [], bugs: string[] = [], steps: string[] = [];
  // `as`: the only job of these requests.
  const work = {
    run(_job, request) {
      handedOver.push(request);
      return Promise.resolve({ status: 299, headers: {}, chunks: [], streamed: false });
    },
  } as HeavyWork;
  const { catalog } = server;
  async function ask(method: string, url: string, body?: unknown, audit?: AuditNotes) {
    const exchange: Exchange = {
      method,
      url,
      headers: { accept: "application/json", "content-type": "application/json" },
      body: () => body === undefined ? new Uint8Array() : bytesOf(body),
      peer: undefined,
      remote: "local",
      protocol: "HTTP/1.1",
      signal: new AbortController().signal,
    };
    const info = requestInfo(method, url)!; // our own URLs are well formed
    const warnings = new Warnings();
    warnings.add("of authentication");
    const user = { name: "admin", groups: ["system:masters"] };
    const asked = { exchange, info, where: route(info, method, catalog), user, catalog, audit, warnings, step() {} };
    const report = (error: unknown) => void bugs.push(String(error));
    const { backend } = server;
    const meter: typeof backend.meter = {
      ...backend.meter,
      admitted(name, _type, _operation, rejected, since) {
        steps.push(`${name ?? "all"} ${rejected ? "rejected" : "done"}`);
        return since;
      },
    };
    const given = { ...server, catalog, backend: { ...backend, meter }, requestTimeoutMs: 60_000, heavy: work, report };
    const reply = await dispatch({ ...asked, server: given }, replies)
      .catch((error: unknown) => errorReply(exchange, toStatusError(error, info, report), catalog));
    const chunks: Uint8Array[] = [];
    if (typeof reply.body !== "string" && !(reply.body instanceof Uint8Array)) { for await (const chunk of reply.body) chunks.push(chunk); }
    const text = chunks.length > 0 ? new TextDecoder().decode(Buffer.concat(chunks)) : String(reply.body);
    return { status: reply.status, text, warnings: [...warnings.texts] };
  }
  return { ask, handedOver, bugs, steps, close };
}
const things = "/apis/example.com/v1/things";
const spends = (steps: number) => ({ request: { bounded } }: RequestHookContext) => bounded(() => spendSteps(steps));

test("dispatch() hands over a request with a large body before its verb runs", async () => {
  let runs = 0;
  const { ask, handedOver, close } = await scene({
    refuse() {
      runs++;
      return undefined;
    },
  });
  const padded = (bytes: number) => {
    const empty = bytesOf(thing("a", { annotations: { note: "" } })).length;
    return thing("a", { annotations: { note: "x".repeat(bytes - empty) } });
  };
  assert.equal((await ask("POST", things, padded(inlineBodyBytesMax))).status, 201);
  assert.deepEqual([runs, handedOver.length], [1, 0]);
  assert.equal((await ask("PUT", `${things}/a`, padded(inlineBodyBytesMax + 1))).status, 299);
  assert.deepEqual([runs, handedOver.length], [1, 1]);
  assert.equal(handedOver[0]?.body.length, inlineBodyBytesMax + 1);
  await close();
});

test("dispatch() drops the warnings and audit notes of a verb that hands over, whose steps are no rejections", async () => {
  const { ask, handedOver, steps, close } = await scene({
    refuse(_next, _prior, context) {
      context.warn("of the step");
      context.annotate("step", "yes");
      spends(inlineStepsMax + 1)(context);
      return undefined;
    },
  });
  const notes = new Map<string, string>();
  const audit: AuditNotes = {
    level: "Request",
    omitsManagedFields: false,
    requestObject: () => void notes.set("request", "object"),
    responseStatus() {},
    responseObject() {},
    annotate: (key, value) => void notes.set(key, value),
    took() {},
    checkpoint: () => {
      const before = new Map(notes);
      return () => {
        notes.clear();
        for (const [key, value] of before) notes.set(key, value);
      };
    },
  };
  const { status, warnings } = await ask("POST", things, thing("a"), audit);
  assert.deepEqual({ status, warnings, notes: [...notes], jobs: handedOver.length, steps }, {
    status: 299,
    warnings: ["of authentication"],
    notes: [],
    jobs: 1,
    steps: [],
  });
  await close();
});

test("a request with an effect that would have to be taken back cannot be handed over, whatever its cost", async () => {
  const { ask, handedOver, bugs, close } = await scene({
    refuse(_next, _prior, context) {
      context.ifNotStored(() => Promise.resolve());
      spends(1)(context);
      return undefined;
    },
  });
  assert.equal((await ask("POST", things, thing("a"))).status, 500);
  assert.deepEqual(handedOver, []);
  assert.deepEqual(bugs, ["Error: A request with effects to take back cannot be handed over to another thread"]);
  await close();
});

test("the deletion of a collection stays in its thread, and returns all objects, however many steps its admission takes", async () => {
  const { ask, handedOver, bugs, close } = await scene({
    refuseDelete(_prior, context) {
      spends(inlineStepsMax / 2 + 1)(context);
      return undefined;
    },
  });
  for (const name of ["a", "b", "c"]) assert.equal((await ask("POST", things, thing(name))).status, 201);
  const { status, text } = await ask("DELETE", things);
  assert.deepEqual({ status, handedOver, bugs }, { status: 200, handedOver: [], bugs: [] });
  const { items } = JSON.parse(text) as { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  assert.deepEqual(items.map(({ metadata: { name } }) => name), ["a", "b", "c"]);
  assert.equal((await ask("DELETE", `${things}/a`)).status, 404);
  await close();
});
