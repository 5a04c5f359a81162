// The claims of docs/writing-a-plugin.md: its example, unchanged, has all of the features below.
// In Deno's suite only: what the plugin serves does not depend on the runtime; test/package/installed_test.ts serves it on both.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Writer } from "protobufjs/minimal.js";
import { readEnvelope, writeEnvelope } from "../../core/codec/protobuf.ts";
import { plugins } from "../../plugins/mod.ts";
import { kubectlMissing, kubectls } from "../clients/kubectl.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Answer, type Client, documents, httpsClient } from "../https.ts";
import { run } from "../real-server.ts";
import { example } from "./example.ts";

const home = "example.com/v1";
const path = `/apis/${home}/namespaces/default/widgets`;
const linesMax = 39;

describe("the plugin of docs/writing-a-plugin.md", () => {
  let folder: string, server: TestServer, client: Client;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-page-"));
    const copy = join(folder, "widgets.ts"), plugin = fileURLToPath(new URL("../../plugin.ts", import.meta.url));
    await writeFile(copy, (await example()).replaceAll('"thole/plugin"', JSON.stringify(pathToFileURL(plugin).href)));
    const { widgetsPlugin } = await import(pathToFileURL(copy).href);
    server = await startTestServer({ plugins: [...plugins, widgetsPlugin] });
    client = httpsClient({ ...server, token: server.tokens.admin });
  });
  after(async () => {
    client?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const widget = (name: string, spec: object) => ({ apiVersion: home, kind: "Widget", metadata: { name }, spec });
  async function made(answer: Promise<Answer>, status = 201): Promise<any> {
    const { status: got, text, json } = await answer;
    assert.equal(got, status, text);
    return json();
  }
  const create = (body: unknown, query = "") => client.ask(path + query, { method: "POST", body });

  test("has fewer than 40 lines", async () => {
    assert.ok((await example()).trimEnd().split("\n").length <= linesMax);
  });

  test("defaults and rules: absent fields get defaults, and each invalid field has an error", async () => {
    const object = await made(create({ metadata: { name: "a" }, spec: { millimetres: 12 } }));
    assert.deepEqual([object.kind, object.apiVersion, object.spec], ["Widget", home, { colour: "green", millimetres: 12 }]);
    const wrong = await made(create(widget("b", { colour: "mauve", millimetres: 0 })), 422);
    assert.deepEqual(wrong.details.causes.map((cause: { field: string }) => cause.field), ["spec.colour", "spec.millimetres"]);
    const longer = await made(client.ask(`${path}/a`, { method: "PUT", body: { ...object, spec: { millimetres: 13 } } }), 422);
    assert.match(longer.message, /spec\.millimetres: Invalid value: 13: field is immutable/);
  });

  test("protobuf: the numbers of its fields are the wire's, both ways", async () => {
    const spec = new Writer().uint32(10).string("red").uint32(16).int32(7).finish();
    const message = new Writer().uint32(10).fork().uint32(10).string("wired").ldelim().uint32(18).bytes(spec).finish();
    const type = "application/vnd.kubernetes.protobuf";
    const body = writeEnvelope({ kind: "Widget", apiVersion: home }, message);
    const answer = await client.ask(path, { method: "POST", body, headers: { "content-type": type, accept: type } });
    assert.deepEqual([answer.status, answer.headers["content-type"]], [201, type]);
    const { kind, apiVersion, raw } = readEnvelope(answer.bytes);
    assert.deepEqual([kind, apiVersion], ["Widget", home]);
    assert.deepEqual(Buffer.from(raw).subarray(-spec.length), Buffer.from(spec), "the response has the specification of the request");
    assert.deepEqual((await made(client.ask(`${path}/wired`), 200)).spec, { colour: "red", millimetres: 7 });
  });

  test("apply: fields have owners, and two managers of one field conflict", async () => {
    const apply = (manager: string, colour: string, force = "") =>
      client.ask(`${path}/applied?fieldManager=${manager}${force}`, {
        method: "PATCH",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: widget("applied", manager === "one" ? { colour, millimetres: 5 } : { colour }),
      });
    const object = await made(apply("one", "red"));
    assert.deepEqual(object.metadata.managedFields.map((each: { manager: string; fieldsV1: object }) => [each.manager, each.fieldsV1]), [
      ["one", { "f:spec": { "f:colour": {}, "f:millimetres": {} } }],
    ]);
    const refused = await made(apply("two", "blue"), 409);
    assert.deepEqual(refused.details.causes.map(({ reason, field }: { reason: string; field: string }) => [reason, field]), [
      ["FieldManagerConflict", ".spec.colour"],
    ]);
    assert.equal((await made(apply("two", "blue", "&force=true"), 200)).spec.colour, "blue");
  });

  test("Table: its own columns between name and age", async () => {
    await made(create(widget("shown", { colour: "blue", millimetres: 1 })));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = await made(client.ask(`${path}?fieldSelector=metadata.name=shown`, { headers: { accept } }), 200);
    assert.deepEqual(table.columnDefinitions.map(({ name }: { name: string }) => name), ["Name", "Colour", "Age"]);
    assert.deepEqual(table.rows.map(({ cells }: { cells: unknown[] }) => cells.slice(0, 2)), [["shown", "blue"]]);
  });

  test("dry run: has the same response and stores nothing", async () => {
    const object = await made(create(widget("dry", { millimetres: 3 }), "?dryRun=All"));
    assert.equal(object.spec.colour, "green");
    await made(client.ask(`${path}/dry`), 404);
    await made(create(widget("dry", { millimetres: 0 }), "?dryRun=All"), 422);
  });

  test("strict validation: an unknown field is rejected, a warning, or ignored", async () => {
    const odd = (name: string) => ({ metadata: { name }, spec: { color: "red", millimetres: 1 } });
    assert.match((await made(create(odd("strict"), "?fieldValidation=Strict"), 400)).message, /unknown field "spec\.color"/);
    const warned = await create(odd("warned"), "?fieldValidation=Warn");
    assert.deepEqual([warned.status, warned.headers["warning"]], [201, '299 - "unknown field \\"spec.color\\""']);
    const ignored = await create(odd("ignored"), "?fieldValidation=Ignore");
    assert.deepEqual([ignored.status, ignored.headers["warning"]], [201, undefined]);
  });

  test("watch: every change is delivered, in order", async () => {
    const { metadata: { resourceVersion } } = await made(client.ask(path), 200);
    const ended = new AbortController();
    const watch = await client.stream(`${path}?watch=1&resourceVersion=${resourceVersion}&fieldSelector=metadata.name=watched`, {
      signal: ended.signal,
    });
    const events = documents(watch.chunks);
    const object = await made(create(widget("watched", { millimetres: 2 })));
    await made(client.ask(`${path}/watched`, { method: "PUT", body: { ...object, spec: { colour: "blue", millimetres: 2 } } }), 200);
    await made(client.ask(`${path}/watched`, { method: "DELETE" }), 200);
    const seen: unknown[] = [];
    while (seen.length < 3) {
      const { type, object: { spec } } = (await events.next()).value;
      seen.push([type, spec.colour]);
    }
    assert.deepEqual(seen, [["ADDED", "green"], ["MODIFIED", "blue"], ["DELETED", "blue"]]);
    ended.abort();
  });

  test("discovery and OpenAPI: both versions describe its fields with the page's descriptions", async () => {
    const { resources } = await made(client.ask(`/apis/${home}`), 200);
    assert.deepEqual(resources.map(({ name, kind, shortNames }: Record<string, unknown>) => [name, kind, shortNames]), [
      ["widgets", "Widget", ["wd"]],
    ]);
    const three = await made(client.ask(`/openapi/v3/apis/${home}`), 200), two = await made(client.ask("/openapi/v2"), 200);
    const specOf = (schemas: Record<string, any>) => Object.entries(schemas).find(([name]) => name.endsWith(".WidgetSpec"))![1]; // Defined in the example.
    for (const spec of [specOf(three.components.schemas), specOf(two.definitions)]) {
      assert.match(spec.properties.colour.description, /^What it is painted with\./);
      assert.deepEqual(spec.required, ["millimetres"]);
    }
    // Only version 3 publishes defaults, as upstream.
    assert.equal(specOf(three.components.schemas).properties.colour.default, "green");
    assert.deepEqual(Object.keys(three.paths).filter((each) => each.startsWith(`/apis/${home}/namespaces/`)), [
      `/apis/${home}/namespaces/{namespace}/widgets`,
      `/apis/${home}/namespaces/{namespace}/widgets/{name}`,
    ]);
  });

  test("explain: kubectl shows kind and fields by its short name", { skip: kubectlMissing() }, async () => {
    const ca = join(folder, "ca.pem");
    await writeFile(ca, server.ca);
    const explain = async (what: string) => {
      const flags = [
        `--server=${server.url}`,
        `--certificate-authority=${ca}`,
        `--token=${server.tokens.admin}`,
        `--cache-dir=${folder}/cache`,
      ];
      const ran = await run(kubectls()[0]!, [...flags, "explain", what], { env: { HOME: folder, KUBECONFIG: join(folder, "none") } });
      assert.equal(ran.code, 0, ran.errors);
      return ran.output;
    };
    assert.match(await explain("wd"), /^GROUP: +example\.com\nKIND: +Widget\nVERSION: +v1\n[\s\S]*A small thing that is made to measure\./);
    const field = await explain("widgets.spec.colour");
    assert.match(field, /^FIELD: colour <string>\n/m);
    assert.match(field, /What it is painted with\./);
  });
});
