// kubectl with every kind that can be created. `describe` also reads related resources, which may be empty.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
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

/** All commands for a kind. */
async function tried(kubectl: Kubectl, collection: string, name: string, manifest: Manifest | undefined): Promise<void> {
  const resource = fullName(collection), namespace = `--namespace=${namespaceOf(collection)}`;
  const one = [resource, name, namespace];
  if (await isRemovedFor(kubectl, collection)) {
    assert.match(await bad(kubectl, ["describe", ...one]), /could not find the requested resource/);
  } else assert.match(await good(kubectl, ["describe", ...one]), new RegExp(`^Name: +${name}$`, "m"));
  assert.match(await good(kubectl, ["get", ...one, "-o", "yaml"]), new RegExp(`^  name: ${name}$`, "m"));
  const [head = "", row = ""] = (await good(kubectl, ["get", ...one])).split("\n");
  const [wideHead = "", wideRow = ""] = (await good(kubectl, ["get", ...one, "-o", "wide"])).split("\n");
  assert.match(head, /^[A-Z]/);
  // kubectl prints the object of an Event, not its name.
  assert.ok([row, wideRow].every((each) => head.startsWith("NAME") ? each.startsWith(name) : each !== ""), `get ${resource}: ${row}`);
  assert.ok(wideHead.split(/ {2,}/).length >= head.split(/ {2,}/).length);
  const apiVersion = rootOf(collection).split("/").slice(2).join("/");
  assert.match(await good(kubectl, ["explain", collection.split("/").at(-1)!, `--api-version=${apiVersion}`]), /^KIND: +\w+$/m);
  if (manifest === undefined) return;
  const text = JSON.stringify(manifest);
  assert.match(await good(kubectl, "apply -f -", text), /created$/m);
  assert.match(await good(kubectl, "apply -f -", text), /unchanged$/m);
  assert.match(await good(kubectl, "apply --server-side -f -", text), /serverside-applied$/m);
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
      const kubectl = kubectlFor(path, server);
      try {
        const names = new Map<string, string>(own);
        const manifests = new Map<string, Manifest>();
        for (const [collection, valid] of objects) {
          if (names.has(collection)) continue;
          const name = `case-${names.size}`;
          const made = merged({ metadata: { name } }, valid);
          const { kind, apiVersion, metadata } = JSON.parse(
            await good(kubectl, ["create", "--raw", collection, "-f", "-"], JSON.stringify(made)),
          );
          names.set(collection, metadata.name);
          const namespace = namespaceOf(collection);
          const applied = { name: `applied-${names.size}`, ...(namespace === "" ? {} : { namespace }) };
          manifests.set(collection, merged({ kind, apiVersion }, merged(valid, { metadata: applied })) as unknown as Manifest); // The path's segments.
        }
        for (const [collection, name] of names) {
          await tried(kubectl, collection, name, manifests.get(collection)).catch((error: unknown) => {
            throw new Error(`${collection}: ${error}`, { cause: error });
          });
        }
        const stated = await withStatus(kubectl, [...names.keys()]);
        assert.ok(stated.some((collection) => collection.endsWith("/persistentvolumes")));
        for (const collection of stated) {
          const one = [fullName(collection), names.get(collection)!, `--namespace=${namespaceOf(collection)}`]; // Selected from these.
          const patch = ["--subresource=status", "--type=merge", "-p", '{"metadata":{"annotations":{"seen":"yes"}}}'];
          assert.match(await good(kubectl, ["patch", ...one, ...patch]), /patched( \(no change\))?$/m); // Some keep metadata to the main path.
        }
        assert.match(await good(kubectl, "get pods -A"), /^$/);
      } finally {
        await server.close();
      }
    });
  }
});
