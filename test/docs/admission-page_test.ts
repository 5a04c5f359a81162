import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder, served } from "../flags/served.ts";
import { until } from "../real-server.ts";
import { admissionPage } from "../../tools/docs/admission-page.ts";
import { blockOf } from "../../tools/docs/page-blocks.ts";

test("docs/admission.md has the current list of steps (npm run docs)", () => {
  const text = readFileSync(new URL("../../docs/admission.md", import.meta.url), "utf8");
  assert.equal(admissionPage(text), text);
});

test("docs/admission.md: its configuration narrows a step by the labels of namespaces", () =>
  inFolder(async (folder) => {
    const file = join(folder, "admission.yaml");
    await writeFile(file, blockOf("docs/admission.md", "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration"));
    await served([`--admission-control-config-file=${file}`], async ({ client }) => {
      const make = async (path: string, body: object) => {
        const { status, text, json } = await client.ask(path, { method: "POST", body });
        assert.equal(status, 201, text);
        return json();
      };
      const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
      await make("/apis/storage.k8s.io/v1/storageclasses", { metadata: { name: "fast", annotations }, provisioner: "example.com/disks" });
      for (const storage of ["manual", "automatic"]) await make("/api/v1/namespaces", { metadata: { name: storage, labels: { storage } } });
      const classIn = async (namespace: string) => {
        const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
        const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims?dryRun=All`;
        return (await make(path, { metadata: { name: "data" }, spec })).spec.storageClassName;
      };
      await until(async () => assert.equal(await classIn("automatic"), "fast"));
      assert.equal(await classIn("manual"), undefined);
    });
  }));
