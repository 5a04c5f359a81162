import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { fakeApi } from "../../testing/fakes.ts";
import type { Controller } from "../../core/controller.ts";
import type { Catalog, Endpoint } from "../../kernel/catalog/catalog.ts";
import { applyPermissions } from "./controller-permissions.ts";

// `as`: only whether roles are served is used.
const catalog = { names: defaultNames, endpoint: () => ({}) as Endpoint } as unknown as Catalog;
const controllers = ["a", "b", "c"].map((name): Controller => ({
  name,
  serviceAccount: `${name}-account`,
  permissions: [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: [] }],
  run: () => Promise.resolve(),
}));

test("applyPermissions() writes the rights of each controller, whichever other's cannot be written, and names that", async () => {
  for (const broken of controllers) {
    for (const kind of ["clusterroles", "clusterrolebindings"]) {
      const written: string[] = [];
      const api = fakeApi({
        apply(_groupVersion, resource, _namespace, name) {
          if (resource === kind && name === `system:controller:${broken.serviceAccount}`) return Promise.reject(new Error("no"));
          if (resource === "clusterrolebindings") written.push(name);
          return Promise.resolve({ kind: "", apiVersion: "", metadata: {} });
        },
      });
      await assert.rejects(applyPermissions(controllers, api, catalog), { message: `${broken.name}: no` });
      const others = controllers.filter((each) => each !== broken);
      assert.deepEqual(written, others.map(({ serviceAccount }) => `system:controller:${serviceAccount}`));
    }
  }
});
