// Changes of an upgrade: Helm renders the chart again over its own objects.
// In Deno's suite only: it checks what Helm renders.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cluster } from "./cluster.ts";
import { helmMissing, helms, namespace, render, type Rendered, renderIn, the } from "./helm.ts";
import { textsOf } from "./installed.ts";

const secrets = `/api/v1/namespaces/${namespace}/secrets`;
const byName = (objects: readonly Rendered[], kind: string) =>
  new Map(objects.filter((object) => object.kind === kind).map((object) => [object.metadata.name, object]));
/** The pod templates: a changed one restarts the pods. */
const podsOf = (objects: readonly Rendered[]) =>
  [the(objects, "Deployment", "demo-thole"), the(objects, "StatefulSet", "demo-thole-etcd")].map((object) => object["spec"].template);
const caOf = (objects: readonly Rendered[], name: string) => textsOf(the(objects, "Secret", name))["ca.crt"];

describe("an upgrade with Helm's certificates and tokens", { skip: helmMissing() }, () => {
  for (const helm of helms()) {
    it(`keeps pods and Secrets if nothing has changed, by ${helm}`, async () => {
      const values = ["--set", "certificates.mode=helm,authentication.tokens.admin=true"];
      await cluster(await render(helm, ...values), async ({ client }, kubeconfig) => {
        assert.equal((await client.ask("/api/v1/namespaces", { method: "POST", body: { metadata: { name: namespace } } })).status, 201);
        const again = (...more: readonly string[]) => renderIn(kubeconfig, helm, "--is-upgrade", ...values, ...more);
        const first = await renderIn(kubeconfig, helm, ...values);
        for (const secret of byName(first, "Secret").values()) {
          // Helm records the owner of an object.
          const annotations = { ...secret.metadata.annotations, "meta.helm.sh/release-name": "demo" };
          const answer = await client.ask(secrets, { method: "POST", body: { ...secret, metadata: { ...secret.metadata, annotations } } });
          assert.equal(answer.status, 201, answer.text);
        }

        const same = await again();
        assert.deepEqual(podsOf(same), podsOf(first));
        assert.deepEqual(byName(same, "Secret"), byName(first, "Secret"));

        const renamed = await again("--set", "certificates.extraNames={api.example.com}");
        assert.notDeepEqual(the(renamed, "Secret", "demo-thole-tls"), the(first, "Secret", "demo-thole-tls"), "for another name");
        assert.equal(caOf(renamed, "demo-thole-tls"), caOf(first, "demo-thole-tls"));
        assert.deepEqual(the(renamed, "Secret", "demo-thole-etcd-tls"), the(first, "Secret", "demo-thole-etcd-tls"));
        assert.deepEqual(podsOf(renamed), podsOf(first), "the servers follow their certificate while they run");

        assert.equal((await client.ask(`${secrets}/demo-thole-ca`, { method: "DELETE" })).status, 200);
        const anew = await again();
        const authorities = ["demo-thole-tls", "demo-thole-etcd-tls", "demo-thole-etcd-client"].map((name) => caOf(anew, name));
        assert.equal(new Set(authorities).size, 1, "all of the same authority");
        assert.notEqual(authorities[0], caOf(first, "demo-thole-tls"));
        assert.notDeepEqual(podsOf(anew), podsOf(first));
      });
    });
  }
});
