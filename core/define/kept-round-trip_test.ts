// A field that `keptFields` leaves out because it equals its default has it again when the object is written back.
// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, definePlugin, defineResource, field, int32, keptFields, object, string, struct } from "../../plugin.ts";
import { openTestServer } from "../../testing.ts";

const home = "kept.example.com/v1", old = "kept.example.com/v1beta1";
const name = field(1, string, "Its name.");
const Spec = struct("Spec", {
  name,
  replicas: field(2, int32, "Replicas.", { default: 3 }),
  mode: field(3, string, "Mode.", { unpublishedDefault: "Fast" }),
}, { package: home });
const Kept = object("Kept", { spec: field(2, Spec, "Its spec.", { written: "always" }) }, { package: home });
const OldSpec = struct("Spec", { name }, { package: old });
const Old = object("Kept", { spec: field(2, OldSpec, "Its spec.", { written: "always" }) }, { package: old });
const kept = keptFields("kept.example.com/v1-spec", Spec, ["replicas", "mode"]);
const resource = defineResource<any>({
  kind: "Kept",
  scope: "Cluster",
  summary: "A kind whose old version lacks fields.",
  storedAs: home,
  storedUnder: "kept.example.com/kepts",
  served: {
    [home]: { schema: Kept, introduced: "1.34" },
    [old]: {
      schema: Old,
      introduced: "1.33",
      deprecated: "1.35",
      removed: "1.38",
      replacement: { groupVersion: home, kind: "Kept" },
      fromStored: ({ spec: { name, replicas, mode }, metadata, ...rest }) => ({
        ...rest,
        metadata: kept.show(metadata, { replicas, mode }),
        spec: { name },
      }),
      toStored: ({ spec, metadata: shown, ...rest }) => {
        const { fields, metadata } = kept.take(shown);
        return { ...rest, metadata, spec: { ...spec, ...fields } };
      },
    },
  },
});

test("keptFields() leaves out defaults, and no write of the other version loses them", async () => {
  const settings = { "runtime-config": { "api/beta": true } };
  await using server = await openTestServer({
    plugins: [definePlugin({ name: "kept", summary: "Kept.", resources: [resource] })],
    settings,
  });
  const api: Api = server.api;
  const cases = [
    [{}, undefined],
    [{ replicas: 0, mode: "" }, '{"replicas":0,"mode":""}'],
    [{ replicas: 3, mode: "Slow" }, '{"mode":"Slow"}'],
    [{ replicas: 7, mode: "Fast" }, '{"replicas":7}'],
  ] as const;
  for (const [at, [spec, annotation]] of cases.entries()) {
    const made: any = await api.create(home, "kepts", "", { metadata: { name: `a${at}` }, spec });
    const read: any = await api.get(old, "kepts", "", `a${at}`);
    assert.equal(read.metadata.annotations?.["kept.example.com/v1-spec"], annotation);
    await api.update(old, "kepts", "", `a${at}`, { ...read, spec: { name: "changed" } });
    const written: any = await api.get(home, "kepts", "", `a${at}`);
    assert.deepEqual(written.spec, { ...made.spec, name: "changed" });
  }
});
