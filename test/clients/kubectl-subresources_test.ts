// The subresources of a plugin with the real kubectl: scale, and POST of an action.
// In Deno's suite only: what clients are answered does not depend on the runtime; kubectl_test.ts and client-node_test.ts run on both.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { definePlugin, defineResource, field, type Infer, int32, object, scaleSubresource, string, struct } from "../../plugin.ts";
import { plugins } from "../../plugins/mod.ts";
import { startTestServer } from "../harness.ts";
import { run } from "../real-server.ts";
import { kubectlMissing, kubectls } from "./kubectl.ts";

const home = "example.com/v1";
const Database = object("Database", {
  spec: field(
    2,
    struct("DatabaseSpec", { replicas: field(1, int32, "Instances."), restartedAt: field(2, string, "Last restart.") }),
    "The wanted state.",
  ),
  status: field(3, struct("DatabaseStatus", { replicas: field(1, int32, "Instances."), selector: field(2, string, "Pods.") }), "Observed."),
}, { doc: "A database.", package: home });
type Database = Infer<typeof Database>;

const databases = defineResource<Database>({
  kind: "Database",
  scope: "Namespaced",
  summary: "A database.",
  storedAs: home,
  storedUnder: "example.com/databases",
  served: {
    [home]: {
      schema: Database,
      introduced: "1.0",
      subresources: {
        scale: scaleSubresource({ specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }),
        restart: {
          create: { write: (_request: undefined, prior: Database, { now }) => ({ ...prior, spec: { ...prior.spec, restartedAt: now } }) },
        },
      },
    },
  },
});

for (const kubectl of kubectls()) {
  test(`kubectl scale and kubectl create --raw work on a plugin's kind (${kubectl})`, { skip: kubectlMissing() }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-scale-"));
    const plugin = definePlugin({ name: "databases", summary: "Databases.", resources: [databases] });
    const server = await startTestServer({ plugins: [...plugins, plugin] });
    try {
      await writeFile(join(folder, "ca.pem"), server.ca);
      await writeFile(
        join(folder, "db.json"),
        JSON.stringify({ apiVersion: home, kind: "Database", metadata: { name: "main" }, spec: { replicas: 1 } }),
      );
      await writeFile(join(folder, "empty.json"), "{}");
      const ask = async (...args: readonly string[]) => {
        const flags = [`--server=${server.url}`, `--certificate-authority=${folder}/ca.pem`, `--token=${server.tokens.admin}`];
        const ran = await run(kubectl, [...flags, `--cache-dir=${folder}/cache`, ...args], {
          env: { HOME: folder, KUBECONFIG: join(folder, "none") },
        });
        assert.equal(ran.code, 0, `${args.join(" ")}: ${ran.errors}`);
        return ran.output;
      };
      await ask("create", "-f", join(folder, "db.json"));
      assert.equal(await ask("scale", "--replicas=3", "databases/main"), "database.example.com/main scaled\n");
      assert.equal(await ask("scale", "--current-replicas=3", "--replicas=4", "database/main"), "database.example.com/main scaled\n");
      assert.equal(await ask("get", "database/main", "-o=jsonpath={.spec.replicas}"), "4");
      const path = `/apis/${home}/namespaces/default/databases/main`;
      const scale = JSON.parse(await ask("get", "--raw", `${path}/scale`));
      assert.deepEqual([scale.kind, scale.apiVersion, scale.spec, scale.status], ["Scale", "autoscaling/v1", { replicas: 4 }, {
        replicas: 0,
      }]);
      assert.match(await ask("get", "database/main", "--subresource=scale"), /^NAME +DESIRED +AVAILABLE +AGE\nmain +4 +0 +\S+\n$/);
      assert.match(JSON.parse(await ask("create", "--raw", `${path}/restart`, "-f", join(folder, "empty.json"))).spec.restartedAt, /Z$/);
      const patch = ["--subresource=scale", "--type=merge", '--patch={"spec":{"replicas":2}}'];
      assert.match(await ask("patch", "database/main", ...patch), /scale\S* .*main patched|main patched/);
      assert.equal(await ask("get", "database/main", "-o=jsonpath={.spec.replicas}"), "2");
    } finally {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
