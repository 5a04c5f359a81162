// The three signals of a deprecated version agree, for every endpoint: Warning header, metric and annotations of the audit event.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { defaultNames } from "../core/names.ts";
import { releaseAfter, releasesFor, serverRelease } from "../core/releases.ts";
import type { Endpoint } from "../kernel/catalog/catalog.ts";
import { compile } from "../kernel/catalog/compile.ts";
import { plugins } from "../plugins/mod.ts";
import { inFolder, type Served, served } from "./flags/served.ts";
import { until } from "./real-server.ts";

const policy =
  `apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata, verbs: [get, list, create]}]\n`;
/** Everything, and the version that this release has just removed. */
const enabled = ["api/all", "storagemigration.k8s.io/v1alpha1"];

/** A kind with two deprecated versions, one with a warning of its own. */
const definition = {
  metadata: { name: "trees.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "trees", kind: "Tree" },
    versions: [
      { name: "v1", storage: true },
      { name: "v1beta1", storage: false, deprecated: true },
      { name: "v1beta2", storage: false, deprecated: true, deprecationWarning: 'use "v1" now' },
    ].map((version) => ({ ...version, served: true, subresources: { status: {} }, schema: { openAPIV3Schema: { type: "object" } } })),
  },
};

interface Expected {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly path: string;
  readonly subresources: readonly string[];
  readonly warning: string | undefined;
  readonly removedRelease: string;
}

/** Every endpoint of the built-in plugins and of the definition. */
function endpointsOf(emulated: string): readonly Expected[] {
  const runtimeConfig = new Map(enabled.map((key): [string, boolean] => [key, true]));
  const catalog = compile(plugins, { names: defaultNames, featureGates: new Map(), runtimeConfig, releases: releasesFor(emulated) });
  const builtIn = catalog.groups.flatMap(({ versions }) => versions.flatMap(({ endpoints }) => endpoints.map(expected)));
  const custom = (version: string, warning?: string): Expected => ({
    group: "example.com",
    version,
    plural: "trees",
    path: `/apis/example.com/${version}/trees`,
    subresources: ["status"],
    warning,
    removedRelease: "",
  });
  return [
    ...builtIn,
    custom("v1"),
    custom("v1beta1", "example.com/v1beta1 Tree is deprecated; use example.com/v1 Tree"),
    custom("v1beta2", 'use \\"v1\\" now'),
  ];
}
function expected({ group, version, apiVersion, plural, namespaced, subresources, deprecation }: Endpoint): Expected {
  return {
    group,
    version,
    plural,
    path: `/${group === "" ? "api" : "apis"}/${apiVersion}${namespaced ? "/namespaces/default" : ""}/${plural}`,
    subresources: [...subresources.keys()],
    warning: deprecation?.warning,
    removedRelease: deprecation?.removedRelease ?? "",
  };
}

/** Requests of an endpoint: paths with the method and the subresource. Most fail. */
function requestsOf(
  { path, subresources }: Expected,
): readonly { readonly method: string; readonly path: string; readonly subresource: string }[] {
  return [
    { method: "GET", path, subresource: "" },
    { method: "GET", path: `${path}/missing`, subresource: "" },
    { method: "POST", path, subresource: "" },
    ...subresources.map((name) => ({ method: "GET", path: `${path}/missing/${name}`, subresource: name })),
  ];
}

async function eventsOf(log: string): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const lines = (await readFile(log, "utf8")).trim().split("\n").map((line) => JSON.parse(line));
  return new Map(lines.filter(({ stage }) => stage === "ResponseComplete").map(({ auditID, annotations }) => [auditID, annotations ?? {}]));
}

async function defineTrees({ client }: Served): Promise<void> {
  const { status, text } = await client.ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    method: "POST",
    body: definition,
  });
  assert.equal(status, 201, text);
  await until(async () => assert.equal((await client.ask("/apis/example.com/v1/trees")).status, 200));
}

for (const emulated of [releaseAfter(serverRelease, -1), serverRelease]) {
  test(`rule deprecated-version: warning, metric and audit annotations agree for every endpoint of ${emulated}`, () =>
    inFolder(async (folder) => {
      const file = join(folder, "policy.yaml"), log = join(folder, "audit.log");
      await writeFile(file, policy);
      const args = [
        `--emulated-version=${emulated}`,
        `--runtime-config=${enabled.map((key) => `${key}=true`).join(",")}`,
        `--audit-policy-file=${file}`,
        `--audit-log-path=${log}`,
      ];
      const endpoints = endpointsOf(emulated);
      const deprecated = endpoints.filter(({ warning }) => warning !== undefined);
      assert.ok(deprecated.length > 2, "some built-in version is deprecated in this release");
      await served(args, async (server) => {
        await defineTrees(server);
        const lines = new Set<string>();
        const audited: { readonly id: string; readonly of: string; readonly annotations: Readonly<Record<string, string>> }[] = [];
        for (const endpoint of endpoints) {
          const { group, version, plural, warning, removedRelease } = endpoint;
          for (const { method, path, subresource } of requestsOf(endpoint)) {
            const { status, headers } = await server.client.ask(path, { method, ...(method === "POST" ? { body: {} } : {}) });
            // A path or method that is not served has no version.
            const isRouted = status !== 405;
            const warnings = String(headers["warning"] ?? "");
            assert.equal(warnings, isRouted && warning !== undefined ? `299 - "${warning}"` : "", `${method} ${path}`);
            const isMarked = warnings !== "";
            if (isMarked) {
              lines.add(
                `apiserver_requested_deprecated_apis{group="${group}",removed_release="${removedRelease}",resource="${plural}",` +
                  `subresource="${subresource}",version="${version}"} 1`,
              );
            }
            audited.push({
              id: String(headers["audit-id"]),
              of: `${method} ${path}`,
              annotations: isMarked
                ? { "k8s.io/deprecated": "true", ...(removedRelease === "" ? {} : { "k8s.io/removed-release": removedRelease }) }
                : {},
            });
          }
        }
        const metrics = (await server.client.ask("/metrics")).text.split("\n");
        assert.deepEqual(
          metrics.filter((line) => line.startsWith("apiserver_requested_deprecated_apis{")).toSorted(),
          [...lines].toSorted(),
        );
        await until(async () => {
          const events = await eventsOf(log);
          for (const { id, of, annotations } of audited) {
            const found = Object.entries(events.get(id) ?? { missing: "event" });
            const own = found.filter(([key]) => key === "missing" || key.endsWith("/deprecated") || key.endsWith("/removed-release"));
            assert.deepEqual(Object.fromEntries(own), annotations, of);
          }
        });
      });
    }));
}

test("rule deprecated-version: as upstream, a request that is rejected before the version is known to serve it gives no signal", () =>
  served(["--runtime-config=storage.k8s.io/v1beta1=true"], async ({ client }) => {
    const path = "/apis/storage.k8s.io/v1beta1/volumeattributesclasses";
    const patch = { method: "PATCH", headers: { "content-type": "foo/bar" }, body: "{}" };
    for (const [status, ask] of [[406, { headers: { accept: "foo/bar" } }], [415, patch], [405, { method: "PUT", body: {} }]] as const) {
      const answer = await client.ask(status === 415 ? `${path}/missing` : path, ask);
      assert.deepEqual([answer.status, answer.headers["warning"]], [status, undefined]);
    }
    // The server itself uses Endpoints.
    const told = (await client.ask("/metrics")).text.split("\n").filter((line) => line.startsWith("apiserver_requested_deprecated_apis{"));
    assert.deepEqual(told.filter((line) => !line.includes('resource="endpoints"')), []);
  }));

test("rule removed-version: a version is served up to the release that removes it", async () => {
  const path = "/apis/storagemigration.k8s.io/v1alpha1/storageversionmigrations";
  const statusIn = async (emulated: string, named: boolean) => {
    let found = 0;
    const config = named ? "storagemigration.k8s.io/v1alpha1=true" : "api/all=true";
    await served([`--emulated-version=${emulated}`, `--runtime-config=${config}`], async ({ client }) => {
      found = (await client.ask(path)).status;
    });
    return found;
  };
  assert.deepEqual([await statusIn("1.34", false), await statusIn("1.35", false), await statusIn("1.35", true)], [200, 404, 200]);
});
