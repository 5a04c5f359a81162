/** Proofs of the flags about kubelets. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { issue } from "../../server/listen/testing/clients.ts";
import { fakeKubelet } from "../connections/fake-kubelet.ts";
import type { SettingName } from "../../server/config/settings.ts";
import { inFolder, type Proof, type Served, served } from "./served.ts";

type Kubelets = Extract<SettingName, `kubelet-${string}`>;

/** Makes a node `n` and a pod `on-n` on it. */
async function podOnNode({ client }: Served, status: unknown): Promise<void> {
  const create = (path: string, body: unknown) => client.ask(path, { method: "POST", body });
  await create("/api/v1/nodes", { metadata: { name: "n" } });
  await client.ask("/api/v1/nodes/n/status", {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: { status },
  });
  const spec = { nodeName: "n", containers: [{ name: "c", image: "a" }] };
  await create("/api/v1/namespaces/default/pods", { metadata: { name: "on-n" }, spec });
}
const internal = [{ type: "InternalIP", address: "127.0.0.1" }];
const log = "/api/v1/namespaces/default/pods/on-n/log";
const without = "--disable-admission-plugins=ServiceAccount";
const pair: Proof = () => assert.rejects(served(["--kubelet-client-certificate=a.pem"], () => Promise.resolve()), /must be given together/);

export const connecting: Readonly<Record<Kubelets, Proof>> = {
  "kubelet-certificate-authority": () =>
    inFolder(async (folder) => {
      const kubelet = await fakeKubelet((_request, response) => void response.end("a log")), file = join(folder, "ca.pem");
      await writeFile(file, issue({ usage: "ca", commonName: "another authority" }).cert);
      try {
        await served([`--kubelet-certificate-authority=${file}`, without], async (server) => {
          await podOnNode(server, { addresses: internal, daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } } });
          const refused = await server.client.ask(log);
          assert.equal(refused.status, 500);
          assert.match(refused.text, /certificate/);
          assert.equal((await server.client.ask(`${log}?insecureSkipTLSVerifyBackend=true`)).text, "a log");
        });
      } finally {
        kubelet.close();
      }
    }),
  "kubelet-client-certificate": pair,
  "kubelet-client-key": () => assert.rejects(served(["--kubelet-client-key=a.pem"], () => Promise.resolve()), /must be given together/),
  "kubelet-preferred-address-types": () =>
    served(["--kubelet-preferred-address-types=ExternalIP", without], async (server) => {
      await podOnNode(server, { addresses: internal });
      const { message } = (await server.client.ask(log)).json();
      assert.equal(message, "no preferred addresses found; known addresses: [{InternalIP 127.0.0.1}]");
    }),
};
