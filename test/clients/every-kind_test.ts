// kubectl with every kind that can be created. `describe` also reads related resources, which may be empty.
// In Deno's suite only: what kubectl shows of a kind does not depend on the runtime.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { httpsClient } from "../https.ts";
import { startRealServer, startSkipped } from "../real-server.ts";
import { merged } from "../validation/rule.ts";
import { serverArgs, tables } from "../validation/tables.ts";
import { bad, good, type Kubectl, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";

/** A valid object of each stored kind, by the path of its collection. */
const objects = new Map(tables.filter(({ path }) => !path.endsWith("reviews")).map(({ path, valid }) => [path, valid]));
// An empty list of drivers is read as null, so that every apply is a change.
objects.set("/apis/storage.k8s.io/v1/csinodes", { spec: { drivers: [{ name: "a.example.com", nodeID: "one" }] } });
/** Created by the server in every namespace. */
const own = [["/api/v1/namespaces/default/serviceaccounts", "default"]] as const;

/** Older kubectl versions request VolumeAttributesClass in a version that is disabled by default. */
const args = serverArgs.map((each) => each.startsWith("--runtime-config=") ? `${each},storage.k8s.io/v1beta1=true` : each);

/** `resource.version.group`, kubectl's form. */
function fullName(path: string): string {
  const [root, ...rest] = path.split("/").slice(1);
  const resource = rest.at(-1)!; // A path has segments.
  return root === "api" ? resource : `${resource}.${rest[1]}.${rest[0]}`;
}

function namespaceOf(path: string): string {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? "";
}

/** The commands that are tried with each kind. */
async function tried(kubectl: Kubectl, collection: string, name: string): Promise<void> {
  const resource = fullName(collection), one = [resource, name, `--namespace=${namespaceOf(collection)}`];
  const [head = "", row = ""] = (await good(kubectl, ["get", ...one])).split("\n");
  const [wideHead = "", wideRow = ""] = (await good(kubectl, ["get", ...one, "-o", "wide"])).split("\n");
  assert.match(head, /^[A-Z]/);
  // kubectl prints the object of an Event, not its name.
  assert.ok([row, wideRow].every((each) => head.startsWith("NAME") ? each.startsWith(name) : each !== ""), `get ${resource}: ${row}`);
  assert.ok(wideHead.split(/ {2,}/).length >= head.split(/ {2,}/).length);
  const apiVersion = rootOf(collection).split("/").slice(2).join("/");
  assert.match(await good(kubectl, ["explain", collection.split("/").at(-1)!, `--api-version=${apiVersion}`]), /^KIND: +\w+$/m);
}

/** The commands that kubectl runs for many kinds at once, for each of them in turn. */
async function triedTogether(kubectl: Kubectl, names: ReadonlyMap<string, string>): Promise<void> {
  const removed: (readonly [string, string])[] = [];
  for (const each of names) if (await isRemovedFor(kubectl, each[0])) removed.push(each);
  for (const [collection, name] of removed) {
    assert.match(await bad(kubectl, ["describe", `${fullName(collection)}/${name}`]), /could not find the requested resource/);
  }
  for (const [namespace, all] of Map.groupBy(names, ([collection]) => namespaceOf(collection))) {
    const place = `--namespace=${namespace}`, each = (of: typeof all) => of.map(([collection, name]) => `${fullName(collection)}/${name}`);
    const described = all.filter((one) => !removed.some(([collection]) => collection === one[0]));
    const description = await good(kubectl, ["describe", ...each(described), place]);
    for (const [, name] of described) assert.match(description, new RegExp(`^Name: +${name}$`, "m"));
    const yaml = await good(kubectl, ["get", ...each(all), place, "-o", "yaml"]);
    for (const [, name] of all) assert.match(yaml, new RegExp(`^ +name: ${name}$`, "m"));
  }
}

/** One line for each manifest, with this end. */
async function applied(kubectl: Kubectl, flags: string, manifests: readonly Manifest[], end: string): Promise<void> {
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests });
  const lines = (await good(kubectl, `apply ${flags}-f -`, text)).trim().split("\n");
  assert.deepEqual(lines.filter((line) => !line.endsWith(end)), []);
  assert.equal(lines.length, manifests.length);
}

/** Whether this kubectl describes the kind in a removed version: 1.30 uses VolumeAttributesClasses in v1alpha1. */
async function isRemovedFor(kubectl: Kubectl, collection: string): Promise<boolean> {
  if (!collection.endsWith("/volumeattributesclasses")) return false;
  const { clientVersion } = JSON.parse(await good(kubectl, "version --client --output=json"));
  return clientVersion.minor === "30";
}

interface Manifest {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
}

/** The collections with a status subresource, from discovery. */
async function withStatus(kubectl: Kubectl, collections: readonly string[]): Promise<readonly string[]> {
  const roots = [...new Set(collections.map(rootOf))];
  const lists = await Promise.all(roots.map(async (root) => {
    const { resources } = JSON.parse(await good(kubectl, ["get", "--raw", root]));
    return resources.map(({ name }: { readonly name: string }) => `${root} ${name}`);
  }));
  const served = new Set(lists.flat());
  return collections.filter((collection) => served.has(`${rootOf(collection)} ${collection.split("/").at(-1)}/status`));
}
/** `/api/v1`, `/apis/storage.k8s.io/v1`. */
function rootOf(collection: string): string {
  return collection.split("/").slice(0, collection.startsWith("/api/") ? 3 : 4).join("/");
}

describe("kubectl gets, describes, explains and applies every kind", { skip: kubectlMissing() || startSkipped("deno") }, () => {
  for (const path of kubectls()) {
    it(path, async () => {
      const server = await startRealServer({ args });
      const kubectl = kubectlFor(path, server), client = httpsClient(server);
      try {
        const names = new Map<string, string>(own);
        const manifests: Manifest[] = [];
        for (const [collection, valid] of objects) {
          if (names.has(collection)) continue;
          const name = `case-${names.size}`;
          const made = await client.ask(collection, { method: "POST", body: merged({ metadata: { name } }, valid) });
          assert.equal(made.status, 201, `${collection}: ${made.text}`);
          const { kind, apiVersion, metadata } = made.json();
          names.set(collection, metadata.name);
          const namespace = namespaceOf(collection);
          const other = { name: `applied-${names.size}`, ...(namespace === "" ? {} : { namespace }) };
          manifests.push(merged({ kind, apiVersion }, merged(valid, { metadata: other })) as unknown as Manifest); // The path's segments.
        }
        await triedTogether(kubectl, names);
        for (const [collection, name] of names) {
          await tried(kubectl, collection, name).catch((error: unknown) => {
            throw new Error(`${collection}: ${error}`, { cause: error });
          });
        }
        await applied(kubectl, "", manifests, " created");
        await applied(kubectl, "", manifests, " unchanged");
        await applied(kubectl, "--server-side ", manifests, " serverside-applied");
        const stated = await withStatus(kubectl, [...names.keys()]);
        assert.ok(stated.some((collection) => collection.endsWith("/persistentvolumes")));
        for (const collection of stated) {
          const one = [fullName(collection), names.get(collection)!, `--namespace=${namespaceOf(collection)}`]; // Selected from these.
          const patch = ["--subresource=status", "--type=merge", "-p", '{"metadata":{"annotations":{"seen":"yes"}}}'];
          assert.match(await good(kubectl, ["patch", ...one, ...patch]), /patched( \(no change\))?$/m); // Some keep metadata to the main path.
        }
        assert.match(await good(kubectl, "get pods -A"), /^$/);
      } finally {
        client.close();
        await server.close();
      }
    });
  }
});
