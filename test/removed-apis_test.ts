// The table of removed APIs beside the definitions of the built-in kinds, its page, and the answer to a request for a removed path.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pluralOf } from "../core/define/plural.ts";
import { defaultNames } from "../core/names.ts";
import { removedApis, RemovedKinds } from "../core/removed-apis.ts";
import { plugins } from "../plugins/mod.ts";
import { removedApisPage } from "../tools/docs/removed-apis-page.ts";
import { openTestServer } from "../testing.ts";
import { ask } from "./requests.ts";

const resources = plugins.flatMap(({ resources = [] }) => resources);

test("a removal in the table is that of the definition, where a built-in kind has one", () => {
  const compared = removedApis.flatMap(({ groupVersion, kinds, removed }) =>
    kinds.flatMap((kind) => {
      const served = resources.find((each) => each.kind === kind && Object.hasOwn(each.served, groupVersion))?.served[groupVersion];
      if (served === undefined) return [];
      assert.equal(served.removed, removed, `${kind} in ${groupVersion}`);
      return [`${kind} in ${groupVersion}`];
    })
  );
  assert.deepEqual(compared, [
    "CSIStorageCapacity in storage.{domain}/v1beta1",
    "CustomResourceDefinition in apiextensions.{domain}/v1beta1",
    "Lease in coordination.{domain}/v1beta1",
  ]);
});

/** The first replacement of a removed version of a kind; undefined for others. */
function replacementOf(version: string, kind: string): string | undefined {
  return removedApis.find(({ groupVersion, kinds }) => groupVersion === version && kinds.includes(kind))?.replacements[0];
}

test("a replacement of a built-in kind is a version that it is served in", () => {
  let compared = 0;
  for (const { kinds, replacements } of removedApis) {
    for (const kind of kinds) {
      const [group = ""] = (replacements[0] ?? "").split("/");
      const own = resources.find((each) => each.kind === kind && Object.keys(each.served).some((key) => key.startsWith(`${group}/`)));
      if (own === undefined || replacements.length === 0) continue;
      compared++;
      // A replacement can have been removed itself.
      let last = replacements[0]!;
      for (let next: string | undefined = last; next !== undefined; next = replacementOf(last, kind)) last = next;
      assert.ok(Object.hasOwn(own.served, last), `${kind} in ${last}`);
    }
  }
  assert.ok(compared >= 15, `${compared} kinds`);
});

test("docs/removed-apis.md has the table (npm run docs)", () => {
  assert.equal(removedApisPage(), readFileSync(new URL("../docs/removed-apis.md", import.meta.url), "utf8"));
});

test("a request for a removed path gets 404: a Status below a served group and for a kind that is left out, else text", async () => {
  await using server = await openTestServer({ settings: { preset: "control-plane" } });
  const get = (path: string) => ask(server, "GET", path);
  const groups = new Set(JSON.parse((await get("/apis")).text).groups.map(({ name }: { readonly name: string }) => name));
  const counts = { inGroup: 0, leftOut: 0, plain: 0 };
  for (const { groupVersion, kind } of new RemovedKinds(defaultNames).all()) {
    const path = `/apis/${groupVersion}/${pluralOf(kind)}`, { status, text } = await get(path);
    assert.equal(status, 404, path);
    if (text.includes("leaves that kind of kube-apiserver out")) {
      counts.leftOut++;
      assert.ok(JSON.parse(text).message.startsWith(`this server does not serve ${kind} (`), path);
    } else if (groups.has(groupVersion.split("/")[0])) {
      counts.inGroup++;
      assert.equal(JSON.parse(text).message, "the server could not find the requested resource", path);
    } else {
      counts.plain++;
      assert.equal(text, "404 page not found\n", path);
    }
  }
  assert.ok(counts.inGroup > 10 && counts.leftOut > 10 && counts.plain > 0, JSON.stringify(counts));
});
