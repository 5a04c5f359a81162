// Lists in chunks: every object once in the state of the first chunk, and the continuation when that state was compacted.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../real-server.ts";
import { kinds, objectOf } from "./kinds.ts";
import { type ControllerContext, world } from "./world.ts";

const podTemplates = kinds.find(({ resource }) => resource === "podtemplates")!;
const path = "/api/v1/namespaces/chunks/podtemplates";
const count = 100, limit = 17;
const nameOf = (at: number) => `template-${String(at).padStart(4, "0")}`;
const names = ({ items }: any): readonly string[] => items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
const all = Array.from({ length: count }, (_, at) => nameOf(at));

async function fill({ create }: ControllerContext): Promise<void> {
  await create("/api/v1/namespaces", { metadata: { name: "chunks" } });
  for (let at = 0; at < count; at += 10) {
    await Promise.all(all.slice(at, at + 10).map((name) => create(path, objectOf(podTemplates, name))));
  }
}

describe("a list in chunks", () => {
  const server = world(["--etcd-compaction-interval=0"]);

  test("has every object once, at one version, with the number of remaining ones, during any changes", async () => {
    const { ask, create, remove } = server;
    await fill(server);
    const seen: string[] = [], versions = new Set<string>();
    for (let token: string | undefined = ""; token !== undefined;) {
      const list = await ask(200, `${path}?limit=${limit}${token === "" ? "" : `&continue=${token}`}`);
      seen.push(...names(list));
      versions.add(list.metadata.resourceVersion);
      const last = seen.length === count;
      assert.equal(list.items.length, last ? count % limit : limit);
      assert.equal(list.metadata.remainingItemCount, last ? undefined : count - seen.length);
      assert.equal(list.metadata.continue === undefined, last);
      if (token === "") {
        await remove(`${path}/${nameOf(count - 1)}`);
        await create(path, objectOf(podTemplates, `${nameOf(count - 2)}-late`));
      }
      token = list.metadata.continue;
    }
    assert.deepEqual(seen, all);
    assert.equal(versions.size, 1);
    const now = await ask(200, path);
    assert.deepEqual(names(now), [...all.slice(0, -1), `${nameOf(count - 2)}-late`]);
  });
});

describe("a list in chunks whose version was compacted", () => {
  const server = world(["--etcd-compaction-interval=100ms"]);

  test("returns 410 with a token that continues in the current state, after the objects that were read", async () => {
    const { ask, create, client } = server;
    await fill(server);
    const first = await ask(200, `${path}?limit=${limit}`);
    const { continue: token, resourceVersion } = first.metadata;
    // One object after the first chunk and one before it: only the first is in the rest.
    await create(path, objectOf(podTemplates, `${nameOf(count - 1)}-late`));
    await create(path, objectOf(podTemplates, "a-late"));
    const expired = await until(async () => {
      const answer = await client.ask(`${path}?limit=${limit}&continue=${token}`);
      assert.equal(answer.status, 410, "not compacted yet");
      return answer.json();
    });
    assert.equal(expired.reason, "Expired");
    assert.ok(expired.metadata.continue, "a token that leads on");
    const second = await ask(200, `${path}?limit=${limit}&continue=${expired.metadata.continue}`);
    assert.equal(second.items.length, limit);
    assert.ok(BigInt(second.metadata.resourceVersion) > BigInt(resourceVersion), "in a later state");
    const rest = await ask(200, `${path}?continue=${expired.metadata.continue}`);
    assert.deepEqual([...names(first), ...names(rest)], [...all, `${nameOf(count - 1)}-late`]);
    await ask(410, `${path}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
  });
});
