import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../core/limits.ts";
import { plugins } from "../plugins/mod.ts";
import { activeConfigOf } from "../kernel/config/active-config.ts";
import { withDefaults } from "../kernel/config/parse.ts";
import { openSqlite } from "../kernel/store/sqlite/sqlite.ts";
import { checkStore } from "../kernel/command/check-store.ts";

test("checkStore() reads each object, and names those that cannot be read", async () => {
  const { catalog } = activeConfigOf(withDefaults({}), plugins);
  const store = await openSqlite(":memory:");
  const put = async (key: string, text: string) => {
    const { done } = await store.commit({ key: `/registry/${key}`, expect: "absent", value: new TextEncoder().encode(text) });
    assert.ok(done);
  };
  const map = (name: string) => JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace: "default" } });
  try {
    for (let index = 0; index < 501; index++) await put(`configmaps/default/m-${index}`, map(`m-${index}`));
    await put("example.com/rods/a", "{}");
    assert.deepEqual(await checkStore(store, "/registry", catalog.stored), { read: 501, other: 1, unreadable: [] });
    await put("configmaps/default/broken", "{");
    await put("configmaps/default/other", map("another"));
    await put("configmaps/default/newer", map("newer").replace('"v1"', '"v9"'));
    const { read, unreadable } = await checkStore(store, "/registry", catalog.stored);
    assert.equal(read, 504);
    assert.match(unreadable[0]!, /the object stored under "\/registry\/configmaps\/default\/broken" cannot be read/);
    assert.match(unreadable[1]!, /newer" cannot be read: no kind "ConfigMap" is known in version "v9"/);
    assert.equal(unreadable[2], 'the object stored under "/registry/configmaps/default/other" has the name "another"');
    for (let index = 0; index < limits.unreadableShownMax; index++) await put(`configmaps/default/z-${index}`, "?");
    assert.equal((await checkStore(store, "/registry", catalog.stored)).unreadable.at(-1), "3 more objects cannot be read");
  } finally {
    await store.close();
  }
});
