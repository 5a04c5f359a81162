// Privilege escalation: rights that a user requests or grants without having them, over HTTP.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startHeavyThread } from "../../server/heavy/thread.ts";
import { inFolder } from "../flags/served.ts";
import { startTestServer } from "../harness.ts";
import { type Answer, type Client, httpsClient } from "../https.ts";
import { until } from "../real-server.ts";

const group = "rbac.authorization.k8s.io", api = `/apis/${group}/v1`, space = `${api}/namespaces/default`;
const configMaps = "/api/v1/namespaces/default/configmaps";
type Rule = Readonly<Record<string, readonly string[]>>;
const rule = (verbs: readonly string[], resources: readonly string[], more: Rule = {}): Rule => ({
  verbs,
  apiGroups: [""],
  resources,
  ...more,
});
const onRbac: Rule = {
  verbs: ["get", "list", "create", "update", "patch", "delete", "deletecollection"],
  apiGroups: [group],
  resources: ["*"],
};
const subject = (name: string) => ({ kind: "User", apiGroup: group, name });
const bindingOf = (name: string, role: string, ...users: string[]) => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
  subjects: users.map(subject),
});
const merge = { "content-type": "application/merge-patch+json" }, jsonPatch = { "content-type": "application/json-patch+json" };
const applied = { "content-type": "application/apply-patch+yaml" };

interface World {
  /** A member of system:masters. */
  readonly admin: Client;
  /** May read and write roles and bindings and get ConfigMaps, and has no other rights. */
  readonly mallory: Client;
  readonly bob: Client;
}
/** A server with the heavy thread. */
async function world(use: (clients: World) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const file = join(folder, "tokens.csv");
    await writeFile(file, "a,admin,1,system:masters\nm,mallory,2\nb,bob,3\n", { mode: 0o600 });
    const server = await startTestServer({ args: [`--token-auth-file=${file}`], startHeavy: startHeavyThread });
    const clientOf = (token: string) => httpsClient({ port: server.port, ca: server.ca, token });
    const clients = { admin: clientOf("a"), mallory: clientOf("m"), bob: clientOf("b") };
    try {
      const { admin, mallory } = clients;
      await until(async () => assert.equal((await admin.ask("/readyz")).status, 200));
      await make(admin, `${api}/clusterroles`, { metadata: { name: "writer" }, rules: [onRbac, rule(["get"], ["configmaps"])] });
      await make(admin, `${api}/clusterrolebindings`, bindingOf("writer", "writer", "mallory"));
      await until(async () => assert.equal((await mallory.ask(`${api}/clusterroles`)).status, 200));
      await use(clients);
    } finally {
      for (const client of Object.values(clients)) client.close();
      await server.close();
    }
  });
}
async function make(client: Client, path: string, body: object): Promise<void> {
  const { status, text } = await client.ask(path, { method: "POST", body });
  assert.equal(status, 201, text);
}
function refused({ status, text }: Answer, words: RegExp = /is attempting to grant RBAC permissions not currently held/): void {
  assert.equal(status, 403, text);
  assert.match(text, words);
}
/** Rules that mallory does not have. */
const greedy: readonly Rule[] = [rule(["get", "list"], ["secrets"])];

test("a role with more rights than its writer is rejected by create, replace, PUT that creates, and every kind of patch", () =>
  world(async ({ admin, mallory }) => {
    const own = { metadata: { name: "own" }, rules: [rule(["get"], ["configmaps"])] };
    for (const path of [`${api}/clusterroles`, `${space}/roles`]) {
      refused(await mallory.ask(path, { method: "POST", body: { ...own, rules: greedy } }));
      refused(await mallory.ask(`${path}?dryRun=All`, { method: "POST", body: { ...own, rules: greedy } }));
      refused(await mallory.ask(`${path}/own`, { method: "PUT", body: { ...own, rules: greedy } }));
      refused(
        await mallory.ask(`${path}/own?fieldManager=m`, {
          method: "PATCH",
          headers: applied,
          body: { ...kindOf(path), ...own, rules: greedy },
        }),
      );
      assert.equal((await admin.ask(`${path}/own`)).status, 404);
      await make(mallory, path, own);
      refused(await mallory.ask(`${path}/own`, { method: "PUT", body: { ...own, rules: greedy } }));
      refused(await mallory.ask(`${path}/own`, { method: "PATCH", headers: merge, body: { rules: greedy } }));
      const add = [{ op: "add", path: "/rules/0/resources/-", value: "secrets" }];
      refused(await mallory.ask(`${path}/own`, { method: "PATCH", headers: jsonPatch, body: add }));
      const strategic = { "content-type": "application/strategic-merge-patch+json" };
      refused(await mallory.ask(`${path}/own`, { method: "PATCH", headers: strategic, body: { rules: greedy } }));
      const force = `${path}/own?fieldManager=m&force=true`;
      refused(await mallory.ask(force, { method: "PATCH", headers: applied, body: { ...kindOf(path), ...own, rules: greedy } }));
      assert.deepEqual((await admin.ask(`${path}/own`)).json().rules, own.rules);
    }
  }));
const kindOf = (path: string) => ({ apiVersion: `${group}/v1`, kind: path.endsWith("clusterroles") ? "ClusterRole" : "Role" });

test("wildcards, subresources and paths require more than the rights that they include", () =>
  world(async ({ admin, mallory }) => {
    const attempts: readonly Rule[] = [
      rule(["*"], ["configmaps"]),
      rule(["get"], ["*"]),
      rule(["get"], ["*/status"]),
      rule(["get"], ["configmaps/status"]),
      rule(["get"], ["configmaps"], { apiGroups: ["*"] }),
      { verbs: ["get"], nonResourceURLs: ["*"] },
      { verbs: ["get"], nonResourceURLs: ["/metrics"] },
      { verbs: ["get"], nonResourceURLs: ["/version*"] },
    ];
    for (const each of attempts) {
      refused(await mallory.ask(`${api}/clusterroles`, { method: "POST", body: { metadata: { name: "x" }, rules: [each] } }));
    }
    // A right to some names does not include all names, or another one.
    await make(admin, `${api}/clusterroles`, {
      metadata: { name: "some" },
      rules: [rule(["get"], ["secrets"], { resourceNames: ["one"] })],
    });
    await make(admin, `${api}/clusterrolebindings`, bindingOf("some", "some", "mallory"));
    await until(async () => assert.equal((await mallory.ask("/api/v1/namespaces/default/secrets/one")).status, 404));
    refused(
      await mallory.ask(`${space}/roles`, { method: "POST", body: { metadata: { name: "x" }, rules: [rule(["get"], ["secrets"])] } }),
    );
    const other = rule(["get"], ["secrets"], { resourceNames: ["one", "two"] });
    refused(
      await mallory.ask(`${space}/roles`, { method: "POST", body: { metadata: { name: "x" }, rules: [other] } }),
      /ResourceNames:\[\\"two\\"\]/,
    );
  }));

test("labels of aggregated roles and aggregation rules grant no rights", () =>
  world(async ({ admin, mallory }) => {
    const labels = { [`${group}/aggregate-to-view`]: "true" };
    refused(await mallory.ask(`${api}/clusterroles`, { method: "POST", body: { metadata: { name: "x", labels }, rules: greedy } }));
    const selectors = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${group}/aggregate-to-view`]: "true" } }] } };
    const words = /must have cluster-admin privileges to use the aggregationRule/;
    refused(await mallory.ask(`${api}/clusterroles`, { method: "POST", body: { metadata: { name: "x" }, ...selectors } }), words);
    await make(mallory, `${api}/clusterroles`, { metadata: { name: "own" }, rules: [rule(["get"], ["configmaps"])] });
    refused(await mallory.ask(`${api}/clusterroles/own`, { method: "PATCH", headers: merge, body: selectors }), words);
    // Labels on a role with more rights than the user's are a write of that role.
    await make(admin, `${api}/clusterroles`, { metadata: { name: "secret-reader" }, rules: greedy });
    refused(await mallory.ask(`${api}/clusterroles/secret-reader`, { method: "PATCH", headers: merge, body: { metadata: { labels } } }));
    await until(async () => assert.ok((await admin.ask(`${api}/clusterroles/view`)).json().rules.length > 0));
    refused(await mallory.ask(`${api}/clusterroles/view`, { method: "PATCH", headers: merge, body: { rules: [] } }), words);
  }));

test("a binding cannot grant rights that its writer lacks: create, replace, patches, subjects of another's binding, a role that grows", () =>
  world(async ({ admin, mallory, bob }) => {
    const paths = [`${api}/clusterrolebindings`, `${space}/rolebindings`];
    await make(admin, `${api}/clusterroles`, { metadata: { name: "secret-reader" }, rules: greedy });
    for (const path of paths) {
      for (const role of ["cluster-admin", "secret-reader"]) {
        refused(await mallory.ask(path, { method: "POST", body: bindingOf("x", role, "mallory") }));
        refused(await mallory.ask(`${path}/x`, { method: "PUT", body: bindingOf("x", role, "mallory") }));
        const document = {
          apiVersion: `${group}/v1`,
          kind: path.endsWith("rolebindings") && path.includes("cluster") ? "ClusterRoleBinding" : "RoleBinding",
        };
        refused(
          await mallory.ask(`${path}/x?fieldManager=m`, {
            method: "PATCH",
            headers: applied,
            body: { ...document, ...bindingOf("x", role, "bob") },
          }),
        );
      }
      // The role may be missing: 404 instead of a binding that waits for it.
      assert.equal((await mallory.ask(path, { method: "POST", body: bindingOf("x", "later", "mallory") })).status, 404);
      for (
        const [name, message] of [
          ["../roles/default/x", `Name parameter invalid: "../roles/default/x": may not contain '/'`],
          ["..", `Name parameter invalid: "..": may not be '..'`],
          ["", "Name parameter required."],
        ] as const
      ) {
        const answer = await mallory.ask(path, { method: "POST", body: bindingOf("x", name, "mallory") });
        assert.deepEqual([answer.status, answer.json().message], [400, message]);
      }
      await make(admin, path, bindingOf("given", "secret-reader", "bob"));
      const subjects = { subjects: [subject("mallory")] };
      refused(await mallory.ask(`${path}/given`, { method: "PATCH", headers: merge, body: subjects }));
      const add = [{ op: "add", path: "/subjects/-", value: subject("mallory") }];
      refused(await mallory.ask(`${path}/given`, { method: "PATCH", headers: jsonPatch, body: add }));
      refused(await mallory.ask(`${path}/given`, { method: "PUT", body: bindingOf("given", "secret-reader", "mallory") }));
      assert.deepEqual((await admin.ask(`${path}/given`)).json().subjects, [subject("bob")]);
      // A binding of a role that the writer has cannot become one of another role.
      await make(mallory, path, bindingOf("mine", "writer", "mallory"));
      const changed = await mallory.ask(`${path}/mine`, { method: "PATCH", headers: merge, body: { roleRef: { name: "cluster-admin" } } });
      assert.ok([403, 422].includes(changed.status), changed.text);
    }
    const ofRole = { ...bindingOf("x", "x", "mallory"), roleRef: { apiGroup: group, kind: "Role", name: "x" } };
    const answer = await mallory.ask(`${api}/clusterrolebindings`, { method: "POST", body: ofRole });
    assert.deepEqual([answer.status, answer.json().message], [400, "Namespace parameter required."]);
    await until(async () => assert.equal((await bob.ask("/api/v1/secrets")).status, 200));
    assert.equal((await mallory.ask("/api/v1/secrets")).status, 403);
  }));

test("names in rules limit neither create nor deletecollection and list, which have no name", () =>
  world(async ({ admin, bob }) => {
    const names = { resourceNames: ["one"] };
    await make(admin, `${space}/roles`, {
      metadata: { name: "named" },
      rules: [rule(["get", "create", "list", "delete", "deletecollection"], ["configmaps"], names)],
    });
    const binding = { ...bindingOf("named", "named", "bob"), roleRef: { apiGroup: group, kind: "Role", name: "named" } };
    await make(admin, `${space}/rolebindings`, binding);
    await until(async () => assert.equal((await bob.ask(`${configMaps}/one`)).status, 404));
    assert.equal((await bob.ask(configMaps, { method: "POST", body: { metadata: { name: "one" } } })).status, 403);
    assert.equal((await bob.ask(configMaps, { method: "DELETE" })).status, 403);
    assert.equal((await bob.ask(configMaps)).status, 403);
    assert.equal((await bob.ask(`${configMaps}?fieldSelector=metadata.name%3Done`)).status, 200);
    assert.equal((await bob.ask(`${configMaps}?fieldSelector=metadata.name%3Dtwo`)).status, 403);
    assert.equal((await bob.ask(`${configMaps}/two`)).status, 403);
  }));

test("a user cannot restore its own revoked rights", () =>
  world(async ({ admin, mallory }) => {
    const reader = { metadata: { name: "limited" }, rules: [rule(["get", "list"], ["secrets"])] };
    await make(admin, `${api}/clusterroles`, reader);
    await make(admin, `${api}/clusterrolebindings`, bindingOf("limited", "limited", "mallory"));
    await until(async () => assert.equal((await mallory.ask("/api/v1/secrets")).status, 200));
    const narrow = { rules: [rule(["list"], ["secrets"], { resourceNames: ["one"] })] };
    assert.equal((await mallory.ask(`${api}/clusterroles/limited`, { method: "PATCH", headers: merge, body: narrow })).status, 200);
    await until(async () => assert.equal((await mallory.ask("/api/v1/secrets")).status, 403));
    refused(await mallory.ask(`${api}/clusterroles/limited`, { method: "PATCH", headers: merge, body: { rules: reader.rules } }));
    const none = [{ op: "remove", path: "/rules/0/resourceNames" }];
    refused(await mallory.ask(`${api}/clusterroles/limited`, { method: "PATCH", headers: jsonPatch, body: none }));
    assert.equal((await mallory.ask(`${api}/clusterrolebindings/limited`, { method: "DELETE" })).status, 200);
    await until(async () => assert.equal((await mallory.ask("/api/v1/secrets?fieldSelector=metadata.name%3Done")).status, 403));
    refused(await mallory.ask(`${api}/clusterrolebindings`, { method: "POST", body: bindingOf("limited", "limited", "mallory") }));
  }));

test("a deleted binding or role has no effect, also for requests on open connections", () =>
  world(async ({ admin, bob }) => {
    const get = async () => (await bob.ask(configMaps)).status;
    for (const gone of [`${space}/rolebindings/b`, `${api}/clusterroles/r`]) {
      await admin.ask(`${space}/rolebindings/b`, { method: "DELETE" });
      await admin.ask(`${api}/clusterroles/r`, { method: "DELETE" });
      await make(admin, `${api}/clusterroles`, { metadata: { name: "r" }, rules: [rule(["list"], ["configmaps"])] });
      await make(admin, `${space}/rolebindings`, bindingOf("b", "r", "bob"));
      await until(async () => assert.equal(await get(), 200));
      assert.equal((await admin.ask(gone, { method: "DELETE" })).status, 200);
      await until(async () => assert.equal(await get(), 403));
    }
  }));

test("roles of 10,000 rules and of megabytes are rejected or stored in the heavy thread, while other requests are served", () =>
  world(async ({ admin, mallory, bob }) => {
    const named = (count: number, resource: string, bytes = 8): readonly Rule[] =>
      Array.from({ length: count }, (_, at) => rule(["get"], [resource], { resourceNames: [`n${at}`.padEnd(bytes, "x")] }));
    const post = (client: Client, name: string, rules: readonly Rule[]) =>
      client.ask(`${api}/clusterroles`, { method: "POST", body: { metadata: { name }, rules } });
    let served = 0, isOver = false;
    const others = (async () => {
      while (!isOver) {
        assert.equal((await bob.ask("/version")).status, 200);
        served++;
      }
    })();
    try {
      // Rights that the user has, then rights that it lacks.
      assert.equal((await post(mallory, "many", named(10_000, "configmaps"))).status, 201);
      const described = await post(mallory, "many-secrets", named(12_000, "secrets"));
      refused(described, /and others/);
      assert.ok([201, 413, 500].includes((await post(mallory, "large", named(10_000, "configmaps", 230))).status));
      refused(await post(mallory, "large-secrets", named(10_000, "secrets", 230)));
      assert.equal((await post(mallory, "too-large", named(10_000, "configmaps", 320))).status, 413);
      // A short rule that expands to millions of rights.
      const many = (word: string) => Array.from({ length: 250 }, (_, at) => `${word}${at}`);
      const product = { verbs: many("v"), apiGroups: many("g"), resources: many("r") };
      refused(await post(mallory, "product", [product]), /and others/);
      await make(admin, `${api}/clusterroles`, { metadata: { name: "product" }, rules: [product] });
      await make(admin, `${api}/clusterrolebindings`, bindingOf("product", "product", "mallory"));
      await until(async () => refused(await post(mallory, "product-2", [product]), /its rules are too many to compare/));
      // Requests of a user with large roles.
      await make(mallory, `${api}/clusterrolebindings`, bindingOf("many", "many", "mallory", "bob"));
      await until(async () => assert.equal((await bob.ask(`${configMaps}/n9999xxx`)).status, 404));
      assert.equal((await bob.ask(`${configMaps}/other`)).status, 403);
    } finally {
      isOver = true;
      await others;
    }
    assert.ok(served > 20, `${served}`);
  }));
