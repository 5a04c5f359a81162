import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { plugins } from "../../plugins/mod.ts";
import { activeConfigOf } from "./active-config.ts";
import { withDefaults } from "./parse.ts";

test("activeConfigOf() does not read the configuration of admission steps again for a server that runs", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-admission-")), file = join(folder, "admission.yaml");
  try {
    await writeFile(file, "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: []\n");
    const config = withDefaults({ "data-dir": ":memory:", "admission-control-config-file": file });
    const before = activeConfigOf(config, []);
    await rm(file);
    // Other gates need another catalog.
    const next = activeConfigOf({ ...config, "feature-gates": new Map([["AllAlpha", true]]) }, [], before);
    assert.notEqual(next.catalog, before.catalog);
    assert.equal(next.admission, before.admission);
    assert.throws(() => activeConfigOf(config, []), /admission\.yaml/, "a start reads it");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("activeConfigOf() shares the catalog of servers with equal plugins and settings only", () => {
  const config = withDefaults({ "data-dir": ":memory:" }), { catalog } = activeConfigOf(config, plugins);
  assert.equal(activeConfigOf(withDefaults({ "data-dir": "elsewhere" }), [...plugins]).catalog, catalog);
  const others: Parameters<typeof withDefaults>[0][] = [
    { "feature-gates": { WatchList: false } },
    { "runtime-config": { "apps/v1": false } },
    { "group-domain": "example.com" },
    { "disable-admission-plugins": ["LimitRanger"] },
    { "emulated-version": ["1.34"] },
  ];
  for (const settings of others) {
    const other = withDefaults({ ...settings, "data-dir": ":memory:" });
    assert.notEqual(activeConfigOf(other, plugins).catalog, catalog, JSON.stringify(settings));
    assert.notEqual(activeConfigOf(config, plugins).catalog, activeConfigOf(other, plugins).catalog);
  }
  assert.notEqual(activeConfigOf(config, plugins.slice(0, -1)).catalog, activeConfigOf(config, plugins).catalog);
});
