// A zero value that a client sends to a field with a default stays, in every encoding and by every kind of write.
// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { boolean, definePlugin, defineResource, field, type Infer, int32, object, string, struct } from "../plugin.ts";
import { openTestServer } from "../testing.ts";
import { ask } from "./requests.ts";

const Fleet = object("Fleet", {
  spec: field(
    2,
    struct("FleetSpec", {
      replicas: field(1, int32, "Wanted number of ships.", { default: 1 }),
      isPaused: field(2, boolean, "Whether it is paused.", { default: true }),
      port: field(3, string, "The home port.", { unpublishedDefault: "Rostock" }),
    }, { doc: "A fleet." }),
    "The fleet.",
    { written: "always" },
  ),
}, { package: "fleets.example.com/v1", doc: "A fleet." });
const fleets = defineResource<Infer<typeof Fleet>>({
  kind: "Fleet",
  scope: "Namespaced",
  summary: "A fleet.",
  storedAs: "fleets.example.com/v1",
  storedUnder: "fleets.example.com/fleets",
  served: { "fleets.example.com/v1": { schema: Fleet, introduced: "1.0" } },
});
const path = "/apis/fleets.example.com/v1/namespaces/default/fleets";
const zero = { replicas: 0, isPaused: false, port: "" };

test("a zero value is no absent value, in JSON, YAML, protobuf, patches and apply", async () => {
  await using server = await openTestServer({ plugins: [definePlugin({ name: "fleets", summary: "Fleets.", resources: [fleets] })] });
  const send = async (method: string, url: string, type: string, body: string | Uint8Array, accept = "application/json") => {
    const { status, bytes } = await ask(server, method, url, body, { type, accept });
    assert.ok(status < 300, `${method} ${url} ${type}: ${status}`);
    return bytes;
  };
  const specOf = async (name: string) => (await server.api.get("fleets.example.com/v1", "fleets", "default", name) as any).spec;
  const fleet = (name: string, spec: object) =>
    JSON.stringify({ apiVersion: "fleets.example.com/v1", kind: "Fleet", metadata: { name }, spec });

  await send("POST", path, "application/json", fleet("json", zero));
  assert.deepEqual(await specOf("json"), zero);
  await send("POST", path, "application/yaml", fleet("yaml", zero));
  assert.deepEqual(await specOf("yaml"), zero);
  const protobuf = "application/vnd.kubernetes.protobuf";
  const bytes = await send("PUT", `${path}/json`, "application/json", fleet("json", zero), protobuf);
  await send("PUT", `${path}/json`, protobuf, bytes);
  assert.deepEqual(await specOf("json"), zero);
  await send("POST", path, "application/json", fleet("absent", {}));
  assert.deepEqual(await specOf("absent"), { replicas: 1, isPaused: true, port: "Rostock" });
  await send("PATCH", `${path}/absent`, "application/merge-patch+json", JSON.stringify({ spec: zero }));
  assert.deepEqual(await specOf("absent"), zero);
  await send("PATCH", `${path}/absent`, "application/merge-patch+json", JSON.stringify({ spec: { replicas: null } }));
  assert.equal((await specOf("absent")).replicas, 1);
  await send("PATCH", `${path}/applied?fieldManager=m`, "application/apply-patch+yaml", fleet("applied", zero));
  assert.deepEqual(await specOf("applied"), zero);
});
