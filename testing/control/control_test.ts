// Test control over HTTP, by a client with the token.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessIn } from "../../client/kubeconfig.ts";
import { validateValue } from "../../core/custom/validate.ts";
import type { Json } from "../../core/json.ts";
import { pruneValue } from "../../core/structural/prune.ts";
import { silentLog } from "../../kernel/observe/log.ts";
import { type Ask, httpsClient } from "../../test/https.ts";
import { openTestServer } from "../server.ts";
import { bodyBytesMax } from "./body.ts";
import { serveControl, type ServedControl } from "./control.ts";
import { operations } from "./operations/mod.ts";

const maps = "/api/v1/namespaces/default/configmaps";
type Method = "GET" | "POST" | "DELETE";

/** Sends requests to one server: to its control, and to its API as admin. */
class Client {
  readonly #token: string;
  readonly #client;
  readonly #admin;

  constructor(url: string, ca: string, token: string, identity: { readonly cert: string; readonly key: string }) {
    const port = Number(new URL(url).port);
    this.#token = token;
    this.#client = httpsClient({ port, ca, single: true });
    this.#admin = httpsClient({ port, ca, identity, single: true });
  }

  /** A request to the control that succeeds. Its answer is valid, by the schema of its operation. */
  async done(method: Method, path: string, body?: unknown): Promise<any> {
    const { status, text, json } = await this.control(method, path, { body });
    assert.ok(status === 200 || status === 201, `${method} ${path}: ${status} ${text}`);
    const pattern = path.split("?")[0]!.replace(/(fork|rule|hold|recording|snapshot)-\d+/, "{id}");
    const operation = operations.find((each) => each.path === pattern && each.method === method)!;
    assert.equal(status, operation.code ?? 200, path);
    if (operation.answer === "yaml") return text;
    const unknown: unknown[] = [], answer = json() as Json;
    pruneValue(answer, operation.answer, {
      unknown: (path) => void unknown.push(path),
      metadata: (metadata) => metadata,
      keepsNulls: true,
    });
    assert.deepEqual([validateValue(answer, operation.answer), unknown], [[], []], path);
    return answer;
  }
  control(method: Method, path: string, { headers, ...ask }: Ask = {}) {
    return this.#client.ask(`/test/${path}`, { method, headers: { authorization: `Bearer ${this.#token}`, ...headers }, ...ask });
  }
  async refused(method: Method, path: string, body?: unknown): Promise<readonly [number, string, readonly (string | undefined)[]]> {
    const { code, reason, details } = (await this.control(method, path, { body })).json();
    return [code, reason, (details?.causes ?? []).map(({ field }: { field?: string }) => field)];
  }
  api(path: string, ask?: Ask) {
    return this.#admin.ask(path, ask);
  }
  stream(path: string, ask?: Ask) {
    return this.#admin.stream(path, ask);
  }
  create(name: string) {
    return this.api(maps, { method: "POST", body: { metadata: { name } } });
  }
  async names(): Promise<readonly string[]> {
    return (await this.api(maps)).json().items.map(({ metadata: { name } }: any) => name);
  }
}

async function clientOf({ listener: { url, caBundle, kubeconfig }, token }: ServedControl) {
  const { cert, key } = await accessIn(kubeconfig), identity = { cert: cert!, key: key! };
  const forkOf = ({ url }: { readonly url: string }) => new Client(url, caBundle, token, identity);
  return { control: new Client(url, caBundle, token, identity), forkOf, caBundle, port: Number(new URL(url).port) };
}

async function served(run: (of: Awaited<ReturnType<typeof clientOf>>) => Promise<void>): Promise<void> {
  const control = await serveControl(await openTestServer(), { log: silentLog });
  try {
    await run(await clientOf(control));
  } finally {
    await control.close();
  }
}

test("test control: forks with ports of their own, which have their own control and end with their parent", () =>
  served(async ({ control, forkOf }) => {
    const loaded = await control.done("POST", "load", {
      manifests: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: both}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n",
    });
    assert.deepEqual(loaded.objects.map(({ kind, name, namespace }: any) => [kind, name, namespace]), [
      ["ConfigMap", "both", "default"],
      ["Namespace", "a", undefined],
    ]);
    const [one, two] = [await control.done("POST", "forks"), await control.done("POST", "forks", {})];
    assert.match(one.kubeconfig, /client-key-data/);
    assert.deepEqual(await control.done("GET", "forks"), { forks: [one, two].map(({ id, url }) => ({ id, url })) });
    const first = forkOf(one), second = forkOf(two);
    await first.create("own");
    assert.deepEqual([await control.names(), await first.names(), await second.names()], [["both"], ["both", "own"], ["both"]]);
    const inner = await first.done("POST", "forks");
    assert.deepEqual(await forkOf(inner).names(), ["both", "own"]);
    await control.done("DELETE", `forks/${one.id}`);
    await assert.rejects(first.names());
    await assert.rejects(forkOf(inner).names());
    assert.deepEqual(await control.refused("DELETE", `forks/${one.id}`), [404, "NotFound", []]);
    assert.deepEqual((await control.done("GET", "forks")).forks.length, 1);
  }));

test("test control: snapshots are restored, with events for watches, and forked", () =>
  served(async ({ control, forkOf }) => {
    await control.create("before");
    const { id, revision } = await control.done("POST", "snapshots");
    await control.create("after");
    const names: string[] = [], ending = new AbortController();
    const watch = streamed(control, `${maps}?watch=true&resourceVersion=${revision}`, names, ending.signal);
    await until(() => assert.deepEqual(names, ["after"]));
    const fork = forkOf(await control.done("POST", "forks", { snapshot: id }));
    assert.deepEqual(await fork.names(), ["before"]);
    await control.done("POST", `snapshots/${id}/restore`);
    assert.deepEqual(await control.names(), ["before"]);
    await until(() => assert.deepEqual(names, ["after", "after"]));
    await control.done("POST", `snapshots/${id}/restore`, { watches: "end" });
    await watch;
    ending.abort();
    await control.create("again");
    assert.deepEqual(await control.names(), ["again", "before"]);
    assert.deepEqual(await control.refused("POST", `snapshots/${id}/restore`, { watches: "all" }), [422, "Invalid", ["watches"]]);
    assert.deepEqual(
      await control.done("POST", "dump", { kinds: ["ConfigMap"] }),
      [
        "again",
        "before",
      ].map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\n`).join("---\n"),
    );
    const { difference } = await control.done("POST", "diff", { before: id, kinds: ["configmaps"] });
    assert.match(difference, /^\+ ConfigMap default\/again/);
    assert.equal((await control.done("POST", "diff", { beforeDump: "", namespaces: ["none"] })).difference, "");
    assert.deepEqual(await control.refused("POST", "diff"), [422, "Invalid", ["before"]]);
    const settings = { groupVersion: "v1", resource: "configmaps", namespace: "default", name: "again" };
    await control.api(`${maps}/again`, { method: "PUT", body: { metadata: { name: "again" }, data: { n: "1" } } });
    const { versions } = await control.done("POST", "history", settings);
    assert.deepEqual([versions.length, versions[0].object.metadata.name, versions[1].changes], [2, "again", ['data.n: (none) -> "1"']]);
    assert.deepEqual(await control.refused("POST", "history", { ...settings, resource: "widgets" }), [404, "NotFound", []]);
    const earlier = { ...settings, revision: String(versions[0].revision) };
    const [then] = (await control.done("POST", "earlier", earlier)).items;
    assert.deepEqual([then.data, then.metadata.resourceVersion], [undefined, earlier.revision]);
    const { name: _, ...all } = earlier;
    assert.deepEqual(
      (await control.done("POST", "earlier", all)).items.map((each: { readonly metadata: object }) =>
        "name" in each.metadata && each.metadata.name
      ),
      ["again", "before"],
    );
    assert.deepEqual(await control.refused("POST", "earlier", { ...earlier, revision: String(versions[0].revision - 1) }), [
      404,
      "NotFound",
      [],
    ]);
    assert.deepEqual(await control.refused("POST", "earlier", { ...earlier, revision: "0" }), [422, "Invalid", ["revision"]]);
    assert.deepEqual(await control.refused("POST", "earlier", { ...earlier, revision: "900000" }), [504, "Timeout", [undefined]]);
    // As a kube-apiserver, a get does not know of matches: without test control the state of now is answered.
    const exact = await control.api(`${maps}/again?resourceVersion=${earlier.revision}&resourceVersionMatch=Exact`);
    assert.deepEqual(exact.json().data, { n: "1" });
    await control.done("DELETE", `snapshots/${id}`);
    assert.deepEqual(await control.refused("POST", `snapshots/${id}/restore`), [404, "NotFound", []]);
  }));

test("test control: the clock of a fork can be manual", () =>
  served(async ({ control, forkOf }) => {
    assert.equal((await control.done("GET", "clock")).manual, false);
    assert.deepEqual(await control.refused("POST", "clock/advance", { by: "1m" }), [409, "Conflict", []]);
    const fork = forkOf(await control.done("POST", "forks", { clock: "manual" }));
    const { milliseconds: before, manual } = await fork.done("GET", "clock");
    assert.equal(manual, true);
    assert.equal((await fork.done("POST", "clock/advance", { by: "1h30m" })).milliseconds - before, 90 * 60_000);
    const { metadata: { creationTimestamp } } = (await fork.create("late")).json();
    assert.equal(Date.parse(creationTimestamp), Math.floor((before + 90 * 60_000) / 1000) * 1000);
    for (const by of ["soon", "-1m", "100000h"]) {
      assert.deepEqual(await fork.refused("POST", "clock/advance", { by }), [422, "Invalid", ["by"]], by);
    }
  }));

test("test control: a fork can have a seed", () =>
  served(async ({ control, forkOf }) => {
    const uidOf = async (seed: number) => {
      const fork = forkOf(await control.done("POST", "forks", { seed }));
      return (await fork.create("drawn")).json().metadata.uid as string;
    };
    const first = await uidOf(7);
    assert.equal(await uidOf(7), first);
    assert.notEqual(await uidOf(8), first);
    for (const seed of [-1, 2 ** 60]) assert.deepEqual(await control.refused("POST", "forks", { seed }), [422, "Invalid", ["seed"]]);
  }));

test("test control: rules of faults, chaos, what was injected, and their end", () =>
  served(async ({ control }) => {
    const rule = await control.done("POST", "faults/rules", {
      verbs: ["create"],
      resource: "configmaps",
      nth: 2,
      answer: { reason: "Conflict", message: "no" },
    });
    assert.deepEqual([(await control.create("a")).status, (await control.create("b")).status, (await control.create("b")).status], [
      201,
      409,
      201,
    ]);
    assert.deepEqual(await control.done("GET", "faults/rules"), { rules: [{ id: rule.id, hits: 1 }] });
    const { injected: [{ user, verb, path, fault }] } = await control.done("GET", "faults/injected");
    assert.deepEqual([user, verb, path, fault], ["admin", "create", maps, "answered with 409 Conflict"]);
    await control.done("DELETE", `faults/rules/${rule.id}`);
    await control.done("POST", "faults/chaos", { seed: 7, rate: 1, effects: [{ answer: { code: 503 } }] });
    assert.equal((await control.create("c")).status, 503);
    const { id } = await control.done("POST", "faults/store", { fault: "etcd down", lasts: "1h" });
    await control.done("DELETE", `faults/rules/${id}`);
    assert.deepEqual(await control.refused("POST", "faults/store", { fault: "slow" }), [422, "Invalid", ["by"]]);
    await control.done("DELETE", "faults");
    assert.equal((await control.create("c")).status, 201);
    assert.deepEqual(await control.done("GET", "faults/rules"), { rules: [] });
    assert.deepEqual(await control.refused("POST", "faults/rules", { verbs: ["get"] }), [422, "Invalid", ["<nil>"]]);
  }));

test("test control: events that are held are listed, flushed in any order and released; watches are ended", () =>
  served(async ({ control }) => {
    const ending = new AbortController();
    const events: string[] = [];
    const hold = await control.done("POST", "faults/holds", { resource: "configmaps" });
    const first = (await control.create("first")).json().metadata.resourceVersion;
    const watch = streamed(control, `${maps}?watch=true&resourceVersion=${first}`, events, ending.signal);
    await until(async () => assert.ok((await control.done("POST", "faults/end-watches", { how: "closed", name: "none" })).ended === 0));
    for (const name of ["a", "b", "c"]) await control.create(name);
    const listed = () => control.done("GET", `faults/holds/${hold.id}`);
    await until(async () => assert.equal((await listed()).events.length, 3));
    const { events: held } = await listed();
    assert.deepEqual(held.map(({ name }: any) => name), ["a", "b", "c"]);
    const rest = await control.done("POST", `faults/holds/${hold.id}/flush`, { events: [held[2], held[0]] });
    assert.deepEqual(rest.events.map(({ name }: any) => name), ["b"]);
    await until(() => assert.deepEqual(events, ["c", "a"]));
    await control.done("DELETE", `faults/holds/${hold.id}`);
    await until(() => assert.deepEqual(events, ["c", "a", "b"]));
    assert.equal((await control.done("POST", "faults/end-watches", { how: "closed", resource: "configmaps" })).ended, 1);
    await watch;
    ending.abort();
  }));

test("test control: recordings are listed by what requests say, read as text, and forgotten", () =>
  served(async ({ control }) => {
    const { id } = await control.done("POST", "recordings");
    await control.create("a");
    await control.api(`${maps}/a`, { method: "DELETE" });
    const of = async (query: string) =>
      (await control.done("GET", `recordings/${id}/requests${query}`)).requests.map(({ verb, status }: any) => [verb, status]);
    assert.deepEqual(await of(""), [["create", 201], ["delete", 200]]);
    assert.deepEqual(await of("?verb=delete,update&resource=configmaps"), [["delete", 200]]);
    const { sent, differences } = await control.done("POST", "replay", { recording: await control.done("GET", `recordings/${id}`) });
    assert.deepEqual([sent, differences], [2, []]);
    assert.deepEqual(await control.refused("POST", "replay", { recording: "---\n[" }), [422, "Invalid", ["recording"]]);
    assert.match(await control.done("GET", `recordings/${id}`), /\nuser: admin\nverb: create\n---\n/);
    assert.deepEqual(await control.refused("GET", `recordings/${id}/requests?verbs=get&name=a&name=b`), [422, "Invalid", [
      "verbs",
      "name",
    ]]);
    await control.done("DELETE", `recordings/${id}`);
    assert.deepEqual(await control.refused("GET", `recordings/${id}`), [404, "NotFound", []]);
  }));

test("test control: a request without the token gets 401, whatever its certificate and path", () =>
  served(async ({ control, caBundle, port }) => {
    const statuses = (path: string, authorization: string) =>
      control.api(path, { headers: { authorization } }).then(({ status }) => status);
    for (const path of ["/test/forks", "/test/openapi.json", "/test/none", "/test/"]) {
      for (const header of ["", "Bearer ", "Bearer x", `Bearer ${"a".repeat(64)}`]) assert.equal(await statuses(path, header), 401, path);
    }
    const stranger = httpsClient({ port, ca: caBundle, single: true });
    const { status, headers } = await stranger.ask("/test/forks", { method: "POST" });
    assert.deepEqual([status, headers["www-authenticate"]], [401, "Bearer"]);
    assert.equal((await control.api("/test")).status, 404, "paths beside are those of the API");
  }));

test("test control: wrong bodies, methods and paths have errors that name the field", () =>
  served(async ({ control }) => {
    const rules = (body: unknown) => control.refused("POST", "faults/rules", body);
    assert.deepEqual(await rules({ verbs: ["gte"], answer: { code: 200, reasn: "Conflict" }, times: "2", more: 1 }), [422, "Invalid", [
      "answer.reasn",
      "more",
      "answer.code",
      "times",
      "verbs[0]",
    ]]);
    const { message } = (await control.control("POST", "faults/rules", { body: { times: 0 } })).json();
    assert.match(message, /^the request is invalid: times: Invalid value: 0: /);
    assert.deepEqual(await rules([]), [422, "Invalid", ["<nil>"]]);
    assert.deepEqual(await rules('{"times":1,"times":2}'), [422, "Invalid", ["<nil>"]]);
    assert.deepEqual(await rules("{"), [400, "BadRequest", []]);
    assert.deepEqual(await control.refused("POST", "load"), [422, "Invalid", ["manifests"]]);
    assert.deepEqual(await control.refused("POST", "load", { manifests: "kind: Pod" }), [422, "Invalid", ["manifests"]]);
    assert.deepEqual(await control.refused("GET", "clock", { a: 1 }), [422, "Invalid", ["<nil>"]]);
    assert.deepEqual(await control.refused("POST", "clock"), [405, "MethodNotAllowed", []]);
    assert.deepEqual(await control.refused("GET", "clocks"), [404, "NotFound", []]);
    const typed = (type: string, body = "{}") =>
      control.control("POST", "load", { body, headers: { "content-type": type } }).then(({ status }) => status);
    assert.deepEqual([await typed("text/plain"), await typed("application/yaml; charset=utf-8", "")], [415, 422]);
    assert.equal(await typed("application/yaml", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: yaml\n"), 200);
  }));

test("test control: bodies, rules and forks have bounds", () =>
  served(async ({ control }) => {
    const large = (bytes: number) => `{"resource":"${"a".repeat(bytes - 15)}"}`;
    const [fits, over] = [
      await control.refused("POST", "faults/holds", large(bodyBytesMax)),
      await control.refused("POST", "faults/holds", large(bodyBytesMax + 1)),
    ];
    assert.deepEqual([fits[0], over[0]], [422, 413]);
    for (let i = 0; i < 16; i++) await control.done("POST", "recordings");
    assert.deepEqual(await control.refused("POST", "recordings"), [429, "TooManyRequests", []]);
    const { forks } = await control.done("GET", "forks");
    assert.deepEqual(forks, []);
  }));

test("test control: its OpenAPI document has every operation", () =>
  served(async ({ control }) => {
    const document = (await control.control("GET", "openapi.json")).json();
    const described = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`)
    );
    assert.deepEqual(described.sort(), operations.map(({ method, path, name }) => `${method} /test/${path} ${name}`).sort());
    assert.equal(new Set(operations.map(({ name }) => name)).size, operations.length);
    const rule = document.paths["/test/faults/rules"].post;
    assert.deepEqual(rule.requestBody.content["application/json"].schema.properties.nth.minimum, 1);
    assert.ok(JSON.stringify(document).includes("#/components/schemas/Status"));
  }));

/** The names of the objects of a watch, as they arrive. Resolves at its end. */
async function streamed(control: Client, path: string, names: string[], signal: AbortSignal): Promise<void> {
  const { chunks } = await control.stream(path, { signal });
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    names.push(...lines.map((line) => JSON.parse(line).object.metadata.name));
  }
}

/** Tries until the check passes. */
async function until(check: () => void | Promise<void>): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      return await check();
    } catch (error) {
      if (tries === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
