// The served API compared with the reference's facts about kube-apiserver, field by field. Descriptions are our own.
// In Deno's suite only: folds of schemas and their readers use nothing of the runtime.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { aggregatedEntries, apiVersionOf, flattened, type GroupVersionFacts, keyed, listEntries, type ResourceFacts } from "./discovery.ts";
import { exceptions, notServed, sameAs } from "./exceptions.ts";
import { differences, type Fields, readFacts, unexplained, type Value } from "./facts.ts";
import { expectedOperations, type PathFacts, servedOperations } from "./operations.ts";
import {
  comparable,
  groupVersions,
  inOtherVersion,
  inVersion2,
  kindsAmong,
  published,
  reached,
  type Schemas,
  servedSchemas,
  withoutItemDefaults,
} from "./schemas.ts";

/** Enables everything that can be served. */
const args = ["--runtime-config=api/all=true,storagemigration.k8s.io/v1alpha1=true"];
const everyGroup = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

let server: TestServer, client: Client;
before(async () => {
  server = await startTestServer({ args });
  client = httpsClient({ ...server, token: server.tokens.admin });
});
after(async () => {
  client.close();
  await server.close();
});

async function read(path: string, accept = "application/json"): Promise<any> {
  const answer = await client.ask(path, { headers: { accept } });
  assert.equal(answer.status, 200, `${path}: ${answer.text.slice(0, 300)}`);
  return answer.json();
}

interface Served {
  readonly apiVersion: string;
  readonly path: string;
  readonly resources: readonly Fields[];
}
/** The served group versions without empty collections. */
async function servedVersions(): Promise<readonly Served[]> {
  return (await everyServedVersion()).map(({ resources, ...version }) => ({
    ...version,
    resources: resources.filter(({ name }) => !notServed[version.apiVersion]?.includes(String(name))),
  }));
}
/** Served group versions, from their own documents. */
async function everyServedVersion(): Promise<readonly Served[]> {
  const { groups } = await read("/apis");
  const versions: readonly string[] = groups.flatMap((group: any) => group.versions.map((each: any) => each.groupVersion));
  return await Promise.all(["v1", ...versions].map(async (apiVersion) => {
    const path = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
    return { path, apiVersion, resources: (await read(path)).resources };
  }));
}

/** Every schema of every v3 document; a schema in several documents is equal in all. */
async function version3(): Promise<Schemas> {
  const { paths } = await read("/openapi/v3");
  const all = new Map<string, Fields>();
  for (const { serverRelativeURL } of Object.values<any>(paths)) {
    for (const [name, schema] of Object.entries<Fields>((await read(serverRelativeURL)).components.schemas)) {
      if (all.has(name)) assert.deepEqual(schema, all.get(name), name);
      all.set(name, schema);
    }
  }
  return Object.fromEntries(all);
}

/** Unintended differences from the reference in these schemas and all schemas that they reference. */
function schemaFaults(ours: Schemas, change: (schema: Fields) => Fields): readonly string[] {
  const { _generated, _machine, ...facts } = readFacts<Record<string, any>>("schemas.json");
  const known: Schemas = facts, generated = new Set<string>(_generated), machine = new Set<string>(_machine);
  const compare = (name: string, schema: Fields) => {
    const alike = comparable(schema, generated.has(name));
    return machine.has(name) ? withoutItemDefaults(alike) : alike;
  };
  const renamed = Object.entries(sameAs).filter(([, theirs]) => Object.hasOwn(known, theirs)).map(([name, theirs]): [string, Fields] => [
    name,
    inOtherVersion(known[theirs]!, theirs, name),
  ]);
  const all = { ...known, ...Object.fromEntries(renamed) };
  const groups = new Set(Object.values(ours).flatMap(groupVersions));
  // A Scale may be the only kind of its group version, which is then not served itself.
  const served = new Set(Object.entries(ours).filter(([name]) => !name.endsWith(".Scale")).flatMap(([, schema]) => groupVersions(schema)));
  const names = Object.keys(ours);
  const theirs = [...reached(names, all)].map((name): [string, Fields] => [
    name,
    compare(name, kindsAmong(change(published(all[name]!)), name.endsWith(".Scale") ? groups : served)),
  ]);
  const compared = names.map((name): [string, Fields] => [name, compare(name, ours[name]!)]);
  assert.ok(theirs.length > 200, `${theirs.length} schemas compared`);
  // Version 2 has no defaults.
  const explained = Object.entries(exceptions.schemas).filter(([path]) => change !== inVersion2 || !path.endsWith(".default"));
  return unexplained(differences("", Object.fromEntries(theirs), Object.fromEntries(compared)), Object.fromEntries(explained));
}

test("rule element-removal: OpenAPI v3 has the schemas of the reference, field by field", async () => {
  assert.deepEqual(schemaFaults(servedSchemas(await version3(), "v3"), (schema) => schema), []);
});

test("OpenAPI v2 has the schemas of the reference, without defaults", async () => {
  const { definitions } = await read("/openapi/v2");
  assert.deepEqual(schemaFaults(servedSchemas(definitions, "v2"), inVersion2), []);
});

const connecting = /\/(?:attach|exec|portforward|proxy)$/;
test("every kind in discovery has a schema that names it, and so has its list", async () => {
  const named = new Set(
    Object.values(await version3()).flatMap((schema) =>
      ((schema["x-kubernetes-group-version-kind"] ?? []) as unknown as readonly Fields[]) // `as`: read from JSON.
        .map(({ group, version, kind }) => `${group}/${version}/${kind}`)
    ),
  );
  const wanted = (await servedVersions()).flatMap(({ apiVersion, resources }) =>
    resources.flatMap(({ name, group, version, kind, verbs }) => {
      // Upstream publishes options of connections as parameters only.
      if (connecting.test(String(name))) return [];
      const of = version === undefined ? apiVersion : `${group ?? ""}/${version}`;
      const own = `${of.includes("/") ? of : `/${of}`}/${kind}`;
      return Array.isArray(verbs) && verbs.includes("list") ? [own, `${own}List`] : [own];
    })
  );
  assert.deepEqual(wanted.filter((each) => !named.has(each)), []);
  assert.ok(wanted.length > 40, `${wanted.length} kinds looked for`);
});

interface DiscoveryFacts {
  readonly groupVersions: readonly GroupVersionFacts[];
  readonly openapiPaths: PathFacts;
}
/** The facts without the resources that are not served yet. */
function discoveryFacts(): readonly GroupVersionFacts[] {
  return everyDiscoveryFact().flatMap((facts) => {
    const missing = notServed[apiVersionOf(facts)] ?? [];
    const resources = facts.resources.filter(({ name }) => !missing.includes(name)).map((resource) => {
      const { name, subresources } = resource;
      return subresources === undefined
        ? resource
        : { ...resource, subresources: subresources.filter((part) => !missing.includes(`${name}/${part.name}`)) };
    });
    return resources.length === 0 ? [] : [{ ...facts, resources }];
  });
}
function everyDiscoveryFact(): readonly GroupVersionFacts[] {
  return readFacts<DiscoveryFacts>("discovery.json").groupVersions;
}

test("the resources that are listed as not served are those of the reference that are not served", async () => {
  const served = new Map((await everyServedVersion()).map(({ apiVersion, resources }) => [apiVersion, resources]));
  const missing = everyDiscoveryFact().map((facts): [string, readonly string[]] => {
    const apiVersion = apiVersionOf(facts), own = served.get(apiVersion) ?? [];
    const isServed = ({ name, verbs }: ResourceFacts) =>
      own.some((each) => each["name"] === name && verbs.every((verb) => (each["verbs"] as readonly string[]).includes(verb)));
    return [
      apiVersion,
      facts.resources.flatMap((each) => {
        const { name, subresources = [] } = each;
        if (!isServed(each)) return [name];
        return subresources.map((part) => `${name}/${part.name}`).filter((path) => !own.some((entry) => entry["name"] === path));
      }),
    ];
  });
  assert.deepEqual(notServed, Object.fromEntries(missing.filter(([, names]) => names.length > 0)));
});

test("OpenAPI v3 has an operation for every verb of the reference, with its query", async () => {
  const { paths } = await read("/openapi/v3");
  const ours: [string, Value][] = [];
  for (const { apiVersion, path } of await servedVersions()) {
    const { serverRelativeURL } = paths[path.slice(1)];
    const operations = Object.entries(servedOperations(path, (await read(serverRelativeURL)).paths));
    ours.push([apiVersion, Object.fromEntries(operations.filter(([name]) => !notServed[apiVersion]?.includes(name)))]);
  }
  const { openapiPaths } = readFacts<DiscoveryFacts>("discovery.json");
  const found = differences("", expectedOperations(discoveryFacts(), openapiPaths), Object.fromEntries(ours));
  assert.deepEqual(unexplained(found, exceptions.discovery), []);
});

test("discovery lists the resources of the reference, and no others, in its order", async () => {
  const served = await servedVersions();
  const theirs = Object.fromEntries(
    discoveryFacts().map((facts): [string, Value] => [apiVersionOf(facts), keyed("name", listEntries(facts.resources))]),
  );
  const hashes: unknown[] = [];
  const ours = Object.fromEntries(served.map(({ apiVersion, resources }): [string, Value] => {
    const entries = resources.map(({ storageVersionHash, ...entry }) => {
      // The reference has no hashes. Resources that can be watched are stored; a subresource has no hash.
      assert.equal(storageVersionHash !== undefined, (entry["verbs"] as readonly string[]).includes("watch"), String(entry["name"]));
      hashes.push(storageVersionHash);
      return entry;
    });
    assert.deepEqual(entries.map(({ name }) => name), entries.map(({ name }) => name).toSorted(), apiVersion);
    return [apiVersion, keyed("name", entries)];
  }));
  assert.ok(hashes.length > 20, `${hashes.length} resources compared`);
  assert.deepEqual(unexplained(differences("", theirs, ours), exceptions.discovery), []);
});

test("aggregated discovery is equal", async () => {
  const documents = await Promise.all(["/api", "/apis"].map((path) => read(path, everyGroup)));
  const ours = Object.fromEntries(
    documents.flatMap(({ items }) => items).flatMap(({ metadata: { name: group }, versions }: any) =>
      versions.map(({ version, resources }: any): [string, Value] => {
        const apiVersion = group === undefined ? version : `${group}/${version}`;
        return [apiVersion, flattened(resources.filter(({ resource }: any) => !notServed[apiVersion]?.includes(resource)))];
      })
    ),
  );
  const theirs = Object.fromEntries(
    discoveryFacts().map((facts): [string, Value] => [apiVersionOf(facts), flattened(aggregatedEntries(facts.resources))]),
  );
  assert.deepEqual(unexplained(differences("", theirs, ours), exceptions.discovery), []);
});

test("groups and versions are ordered by priority", async () => {
  const { groups } = await read("/apis");
  const facts = discoveryFacts().map((each) => ({ ...each, apiVersion: apiVersionOf(each) }));
  const ours: readonly string[] = groups.flatMap((group: any) => group.versions.map((each: any) => each.groupVersion));
  const stage = (version: string) => version.includes("alpha") ? 0 : version.includes("beta") ? 1 : 2;
  const ordered = facts.filter(({ apiVersion }) => ours.includes(apiVersion)).toSorted((a, b) =>
    b.groupPriority - a.groupPriority || (a.group < b.group ? -1 : a.group > b.group ? 1 : 0) ||
    b.versionPriority - a.versionPriority || stage(b.version) - stage(a.version)
  );
  assert.deepEqual(ours, ordered.map(({ apiVersion }) => apiVersion));
});

test("lists accept the field selectors of the reference, and no others", async () => {
  const facts = new Map(
    discoveryFacts().map((each) => [apiVersionOf(each), new Map(each.resources.map((resource) => [resource.name, resource]))]),
  );
  const every = [...facts.values()].flatMap((resources) => [...resources.values()]).flatMap(({ fieldSelectors = [] }) => fieldSelectors);
  const candidates = [...new Set([...every, "spec.unschedulable"])];
  let compared = 0;
  for (const { path, apiVersion, resources } of await servedVersions()) {
    for (const { name } of resources) {
      const known = facts.get(apiVersion)?.get(String(name))?.fieldSelectors;
      if (known === undefined) continue;
      const taken = await Promise.all(candidates.map(async (each) => {
        const { status } = await client.ask(`${path}/${name}?fieldSelector=${encodeURIComponent(`${each}=x`)}`);
        assert.ok(status === 200 || status === 400, `${path}/${name} by ${each}: ${status}`);
        return { each, status };
      }));
      assert.deepEqual(
        taken.filter(({ status }) => status === 200).map(({ each }) => each).toSorted(),
        known.toSorted(),
        `${apiVersion} ${name}`,
      );
      compared++;
    }
  }
  assert.ok(compared > 15, `${compared} resources compared`);
});

test("tables have the columns of the reference", async () => {
  const { kinds } = readFacts<{ readonly kinds: Readonly<Record<string, readonly Fields[]>> }>("table-columns.json");
  const theirs: [string, Value][] = [], ours: [string, Value][] = [];
  for (const { path, apiVersion, resources } of await servedVersions()) {
    for (const { name, kind } of resources.filter(({ verbs }) => Array.isArray(verbs) && verbs.includes("list"))) {
      const key = `${apiVersion}/${kind}`;
      const { columnDefinitions } = await read(`${path}/${name}`, asTable);
      const facts = kinds[key] ?? kinds[sameAs[key] ?? ""];
      if (facts !== undefined) {
        theirs.push([
          key,
          facts.map(({ name, type, format, priority }) => ({ name, type, format, priority }) as Value),
        ]);
      }
      ours.push([
        key,
        columnDefinitions.map(({ description, ...column }: any) => {
          assert.ok(description.length > 0, `${key}: ${column.name} has no description`);
          return { name: column.name, type: column.type, format: column.format, priority: column.priority, ...column };
        }),
      ]);
    }
  }
  assert.ok(theirs.length > 15, `${theirs.length} tables compared`);
  assert.deepEqual(unexplained(differences("", Object.fromEntries(theirs), Object.fromEntries(ours)), exceptions.columns), []);
});
