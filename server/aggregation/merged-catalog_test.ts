// In Deno's suite only: catalogs are values.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RegisteredVersion } from "../../core/delegate.ts";
import { plugins } from "../../plugins/mod.ts";
import { activeConfigOf } from "../config/active-config.ts";
import { withDefaults } from "../config/parse.ts";
import { mergedCatalog } from "./merged-catalog.ts";

const some = plugins.filter(({ name }) => ["configmaps", "coordination", "storage", "apiregistration"].includes(name));
const { catalog } = activeConfigOf(withDefaults({ "data-dir": ":memory:", "runtime-config": { "api/all": true } }), some);
const shown = ({ groups }: typeof catalog) =>
  groups.flatMap(({ versions }) => versions.map(({ apiVersion, remote }) => remote === undefined ? apiVersion : `${apiVersion}!`));
const none = () => ({ freshness: "Stale" as const, resources: [] });

function version(name: string, groupPriority: number, versionPriority: number, server = ""): RegisteredVersion {
  const [group = "", version = ""] = name.split("/");
  return { group, version, groupPriority, versionPriority, isRemote: server !== "", server };
}
/** The registrations of the versions that are there. */
const own = [version("/v1", 18_000, 1), version("storage.k8s.io/v1", 16_800, 15), version("coordination.k8s.io/v1", 16_500, 15)];

test("mergedCatalog() returns the catalog itself while nothing differs", () => {
  assert.equal(mergedCatalog(catalog, [], none), catalog);
  assert.equal(mergedCatalog(catalog, own, none), catalog);
});

test("mergedCatalog() has versions of other servers at their priorities", () => {
  const others = [version("a.example/v1", 17_000, 5, "s"), version("a.example/v2", 3, 10, "s"), version("b.example/v1", 5, 1)];
  const merged = mergedCatalog(catalog, [...own, ...others], none);
  const before = shown(catalog);
  const at = before.indexOf("storage.k8s.io/v1");
  assert.deepEqual(shown(merged), [...before.slice(0, at), "a.example/v2!", "a.example/v1!", ...before.slice(at), "b.example/v1"]);
  assert.equal(merged.group("a.example")?.versions.length, 2);
  assert.equal(merged.version("b.example", "v1")?.remote, undefined);
  assert.equal(catalog.group("a.example"), undefined, "the catalog is as it was");
});

test("mergedCatalog() has the version of another server in place of its own, and its other versions beside it", () => {
  const merged = mergedCatalog(catalog, [
    ...own.slice(0, 1),
    version("storage.k8s.io/v1", 16_800, 15, "s"),
    version("storage.k8s.io/v9", 16_800, 99, "t"),
  ], none);
  assert.deepEqual(shown(merged).filter((each) => each.startsWith("storage")), [
    "storage.k8s.io/v9!",
    "storage.k8s.io/v1!",
    "storage.k8s.io/v1beta1",
  ]);
});
