// The rendered chart runs: a server and its probes with their containers' commands. Several servers are in rolling_test.ts.
// In Deno's suite only: the programs of the image run on Deno.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { KeyedCertificate } from "../../protocols/x509/certificate.ts";
import { issue } from "../../server/listen/testing/clients.ts";
import { type Headers, makeProxies, standard, whoIs } from "../flags/proxied.ts";
import { inFolder } from "../flags/served.ts";
import { type Ran, run, runtimePath, startProgram, until } from "../real-server.ts";
import { cluster } from "./cluster.ts";
import { chart, helmMissing, helms, render, renderIn, the } from "./helm.ts";
import { startReplica, textsOf } from "./installed.ts";

const root = join(chart, "../..");
const skip = helmMissing();

/** Runs a command of the image on this machine. */
function runInImage(command: readonly string[], more: readonly string[] = []): Promise<Ran> {
  const [program, ...words] = command.map((word) => word.replace(/^\/thole\//, `${root}/`));
  assert.equal(program, "/bin/deno");
  return run(runtimePath("deno"), [...words, ...more]);
}

describe("the rendered chart runs", { skip }, () => {
  it("with one server and the embedded store, whose health the commands of its pods report", async () => {
    await inFolder(async (folder) => {
      const objects = await render(
        helms()[0]!,
        ...["--set", "certificates.mode=helm,replicaCount=1,store.type=embedded,settings.anonymous-auth=false"],
      );
      const { spec } = the(objects, "Pod", "demo-thole-test");
      const server = await startReplica(objects, the(objects, "StatefulSet", "demo-thole"), folder);
      const here = (words: readonly string[]) =>
        words.map((word) =>
          word.replace(/https:\/\/[^/]+/, `https://127.0.0.1:${server.port}`).replace("=/etc/thole/", `=${folder}/etc/thole/`)
        );
      try {
        await until(async () => {
          const asked = await runInImage(here(spec.containers[0].command));
          assert.deepEqual([asked.code, asked.output], [0, "ok\n"], asked.errors);
        });
        const [container] = the(objects, "StatefulSet", "demo-thole")["spec"].template.spec.containers;
        const probed = await runInImage(here(container.readinessProbe.exec.command));
        assert.equal(probed.code, 0, probed.errors);
        const stranger = await runInImage(
          here(container.readinessProbe.exec.command.filter((word: string) => !word.startsWith("--token"))),
        );
        assert.equal(stranger.code, 1);
        assert.match(stranger.errors, /^unhealthy: 401 /);
        const other = join(folder, "other.crt");
        await writeFile(other, issue({ usage: "ca", commonName: "other" }).cert);
        const deceived = await runInImage(
          here(spec.containers[0].command).map((word) => word.replace(/^--ca-file=.*/, `--ca-file=${other}`)),
        );
        assert.equal(deceived.code, 1, "a server of another authority is none of ours");
      } finally {
        server.signal("SIGTERM");
        assert.equal(await server.exited, 0);
      }
      const gone = await runInImage(here(spec.containers[0].command));
      assert.equal(gone.code, 1);
      assert.match(gone.errors, /^unhealthy: .*ECONNREFUSED|refused/);
    });
  });
});

const registered = "apiService.enabled=true,apiService.groupVersions[0].group=example.com,apiService.groupVersions[0].version=v1";

describe("a chart that is registered with a kube-apiserver", { skip }, () => {
  it("copies the trust of the cluster's front proxy, and its servers trust that proxy only", async () => {
    const { ca, proxy, other } = makeProxies();
    const data = {
      "requestheader-client-ca-file": ca.cert,
      "requestheader-allowed-names": '["front-proxy-client"]',
      "requestheader-username-headers": '["X-Remote-User","X-Who"]',
      "requestheader-uid-headers": '["X-Remote-Uid"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    };
    const values = ["--set", `certificates.mode=helm,replicaCount=1,store.type=embedded,${registered}`];
    const kinds = await render(helms()[0]!, ...values, "--set", "apiService.frontProxy.configMap=there");
    await cluster(kinds, async ({ client }, kubeconfig) => {
      const body = { metadata: { name: "extension-apiserver-authentication" }, data };
      const posted = await client.ask("/api/v1/namespaces/kube-system/configmaps", { method: "POST", body });
      assert.equal(posted.status, 201, posted.text);
      for (const helm of helms()) {
        const objects = await renderIn(kubeconfig, helm, ...values);
        await inFolder(async (folder) => {
          const server = await startReplica(objects, the(objects, "StatefulSet", "demo-thole"), folder);
          const serving = textsOf(the(objects, "Secret", "demo-thole-tls"))["ca.crt"]!;
          const who = (headers: Headers, identity?: KeyedCertificate) => whoIs({ ...server, ca: serving }, headers, identity);
          try {
            assert.deepEqual(await who(standard, proxy), {
              username: "carol",
              uid: "u-7",
              groups: ["system:masters", "dev", "system:authenticated"],
              extra: { scopes: ["a", "b"], "example.org/zone": ["north"] },
            });
            assert.deepEqual([await who(standard, other), await who(standard)], [401, 403]);
          } finally {
            server.signal("SIGTERM");
            assert.equal(await server.exited, 0);
          }
        });
      }
    });
  });
  it("reports the solution if the cluster cannot be looked up", async () => {
    await assert.rejects(render(helms()[0]!, "--set", registered), /name a copy of that ConfigMap in apiService\.frontProxy\.configMap/);
  });
});

it("npm start has the permissions to create a certificate for each address", async () => {
  // Ends at the missing files, before it listens.
  const nowhere = ["--tls-cert-file=/nonexistent/tls.crt", "--tls-private-key-file=/nonexistent/tls.key"];
  const program = await startProgram(["--bind-address=0.0.0.0", "--data-dir=:memory:", "--secure-port=0", ...nowhere]);
  assert.equal(await program.exited, 1);
  assert.match(program.errors(), /nonexistent/);
  assert.doesNotMatch(program.errors(), /access to/);
});
