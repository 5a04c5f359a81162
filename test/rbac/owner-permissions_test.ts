// OwnerReferencesPermissionEnforcement: references to owners need rights. The messages are those of kube-apiserver 1.35.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder } from "../flags/served.ts";
import { startTestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { until } from "../real-server.ts";

const group = "rbac.authorization.k8s.io", api = `/apis/${group}/v1`, configMaps = "/api/v1/namespaces/default/configmaps";
const noFinalizers = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>";

test("owners are chosen by clients that may delete the object, and blocked by those that may set the owner's finalizers", () =>
  inFolder(async (folder) => {
    const file = join(folder, "tokens.csv");
    await writeFile(file, "a,admin,1,system:masters\nb,bob,2\n", { mode: 0o600 });
    const server = await startTestServer({
      args: [`--token-auth-file=${file}`, "--enable-admission-plugins=OwnerReferencesPermissionEnforcement"],
    });
    const clientOf = (token: string) => httpsClient({ port: server.port, ca: server.ca, token });
    const admin = clientOf("a"), bob = clientOf("b");
    try {
      await until(async () => assert.equal((await admin.ask("/readyz")).status, 200));
      await grant(admin, "writer", { apiGroups: [""], resources: ["configmaps"], verbs: ["create", "patch", "get"] });
      await until(async () => assert.equal((await bob.ask(`${configMaps}/none`)).status, 404));
      const { metadata: { uid } } = (await admin.ask(configMaps, { method: "POST", body: { metadata: { name: "owner" } } })).json();
      const ref = (more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, ...more });
      const create = (name: string, owner: object) =>
        bob.ask(configMaps, { method: "POST", body: { metadata: { name, ownerReferences: [owner] } } });
      const patch = (metadata: object) =>
        bob.ask(`${configMaps}/a`, {
          method: "PATCH",
          body: { metadata },
          headers: { "content-type": "application/merge-patch+json" },
        });
      const refused = ({ status, text }: { readonly status: number; readonly text: string }, name: string, reason: string) => {
        assert.equal(status, 403, text);
        assert.equal(JSON.parse(text).message, `configmaps "${name}" is forbidden: ${reason}`);
      };

      assert.equal((await create("a", ref())).status, 201);
      refused(await create("b", ref({ blockOwnerDeletion: true })), "b", noFinalizers);
      refused(
        await create("c", ref({ kind: "Nothing", blockOwnerDeletion: true })),
        "c",
        'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Nothing: no matches for kind "Nothing" in version "v1"',
      );
      refused(await patch({ ownerReferences: null }), "a", "cannot set an ownerRef on a resource you can't delete: , <nil>");
      assert.equal((await patch({ labels: { x: "y" } })).status, 200);

      const blocking = { ownerReferences: [ref({ blockOwnerDeletion: true })] };
      await grant(admin, "deleter", { apiGroups: [""], resources: ["configmaps"], verbs: ["delete"] });
      await until(async () => refused(await patch(blocking), "a", noFinalizers));
      await grant(admin, "blocker", {
        apiGroups: [""],
        resources: ["configmaps/finalizers"],
        verbs: ["update"],
        resourceNames: ["owner"],
      });
      await until(async () => assert.equal((await patch(blocking)).status, 200));
      const others = [ref({ blockOwnerDeletion: true }), ref({ name: "other", uid: "u", blockOwnerDeletion: true })];
      refused(await patch({ ownerReferences: others }), "a", noFinalizers);
    } finally {
      for (const client of [admin, bob]) client.close();
      await server.close();
    }
  }));

async function grant(admin: Client, name: string, rule: object): Promise<void> {
  const roleRef = { apiGroup: group, kind: "ClusterRole", name }, subjects = [{ kind: "User", apiGroup: group, name: "bob" }];
  const bodies = { clusterroles: { metadata: { name }, rules: [rule] }, clusterrolebindings: { metadata: { name }, roleRef, subjects } };
  for (const [plural, body] of Object.entries(bodies)) {
    assert.equal((await admin.ask(`${api}/${plural}`, { method: "POST", body })).status, 201);
  }
}
