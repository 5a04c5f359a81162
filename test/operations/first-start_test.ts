// State of a server at its first readiness.
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { namespaces } from "../../plugins/cluster/mod.ts";
import { plugins } from "../../plugins/mod.ts";
import { startTestServer } from "../harness.ts";
import { until } from "../real-server.ts";

test("serve() writes the kubeconfig before the objects that readiness waits for", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-first-"));
  const mayGoOn = Promise.withResolvers<undefined>();
  const slow = definePlugin({
    name: "slow",
    summary: "Takes its time over namespaces.",
    admission: [{ name: "Slow", resources: [namespaces], refuse: () => mayGoOn.promise }],
  });
  const starting = startTestServer({ args: [`--data-dir=${folder}`], plugins: [...plugins, slow] });
  try {
    await until(() => access(join(folder, "kubeconfig")));
  } finally {
    mayGoOn.resolve(undefined);
    await (await starting).close();
    await rm(folder, { recursive: true, force: true });
  }
});
