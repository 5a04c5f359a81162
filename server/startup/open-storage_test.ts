import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog, StoredKind } from "../../kernel/catalog/catalog.ts";
import { storedPlaces } from "./open-storage.ts";

test("storedPlaces() finds the kind of a key and the kinds of a range by their segments", () => {
  const kinds = ["configmaps", "apps/deployments", "apps/daemonsets"].map((under) => ({
    under,
    group: under.includes("/") ? "apps" : "",
    plural: under.split("/").at(-1)!,
  }));
  const catalog = { stored: kinds as readonly Partial<StoredKind>[] } as Catalog; // the members that are read
  const places = storedPlaces("/registry", () => catalog);
  const row = (group: string, resource: string) => ({ group, resource });
  assert.deepEqual(places.of("/registry/configmaps/default/a"), row("", "configmaps"));
  assert.deepEqual(places.of("/registry/apps/deployments/default/a"), row("apps", "deployments"));
  assert.deepEqual(places.of("/registry/configmapsother/a"), row("", ""));
  assert.deepEqual(places.of("/other/configmaps/a"), row("", ""));
  assert.deepEqual(places.under("/registry/configmaps/default/"), [row("", "configmaps")]);
  assert.deepEqual(places.under("/registry/apps/"), [row("apps", "deployments"), row("apps", "daemonsets")]);
  assert.equal(places.under("/registry/").length, 3);
});
