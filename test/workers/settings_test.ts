// Settings of a server with two workers: both serve the same release, and what they find in the settings is logged once.
// In Deno's suite only: what workers share does not depend on the runtime; workers_test.ts runs workers on both.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Client } from "../https.ts";
import { signal, until } from "../real-server.ts";
import { metric, path, reachBoth, skip, withServer } from "./workers.ts";

/** Each on a connection of its own: that all of them meet one worker has a chance of 1 in 32,768. */
const asks = 16;

/** The one answer of both workers. The revision of a list is left out: leases are renewed meanwhile. */
async function agreed(client: Client, where: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answers = await Promise.all(Array.from({ length: asks }, () => client.ask(where, { headers })));
  const different = new Set(
    answers.map(({ status, text }) => `${status} ${text.replace(/"metadata":{"resourceVersion":"\d+"}/, "")}`),
  );
  assert.equal(different.size, 1, [...different].join("\n"));
  return [...different][0]!;
}

const aggregated = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };
const classes = (version: string) => `/apis/storage.k8s.io/${version}/volumeattributesclasses`;

/** What clients see of an emulated 1.33, in which VolumeAttributesClass has no v1 and mutating policies are alpha. */
async function assertEmulates(client: Client): Promise<void> {
  assert.match(await agreed(client, "/version"), /^200 .*"minor": "35",.*"emulationMinor": "33"/s);
  assert.match(await agreed(client, classes("v1")), /^404 /);
  assert.match(await agreed(client, classes("v1beta1")), /^200 /);
  const groups = await agreed(client, "/apis", aggregated);
  assert.match(groups, /^200 .*"volumeattributesclasses"/s);
  for (const where of ["/apis", "/apis/storage.k8s.io/v1", "/apis/storage.k8s.io/v1beta1", "/openapi/v3", "/openapi/v2"]) {
    assert.match(await agreed(client, where), /^200 /);
  }
  const gate = (name: string) => metric(client, "kubernetes_feature_enabled", { name });
  assert.deepEqual(await Promise.all(["VolumeAttributesClass", "MutatingAdmissionPolicy"].map(gate)), [1, 0], "no sums");
  assert.equal(await metric(client, "version_info", { emulation: "1.33" }), 1);
  assert.equal(await metric(client, "version_info"), 1);
}

const settings =
  "emulated-version: '1.33'\nruntime-config: {storage.k8s.io/v1beta1: true}\nfeature-gates: {VolumeAttributesClass: true}\nauthorization-mode: [AlwaysAllow]\n";

test(
  "both workers emulate the same release, also after a reload and in a worker that was replaced; what they find in the settings is logged once",
  { skip },
  () =>
    withServer(
      (folder) => [`--config=${join(folder, "thole.yaml")}`, `--audit-log-path=${join(folder, "audit.log")}`],
      async (server, client, folder) => {
        await reachBoth(client);
        const warnings = () => [...server.errors().matchAll(/"(Warning: [^"]*|controllers do not run[^"]*)"/g)].map(([, text]) => text!);
        const atStart = warnings();
        for (const part of ["service account tokens are signed", "no audit policy file", "AlwaysAllow", "controllers do not run"]) {
          assert.equal(atStart.filter((text) => text.includes(part)).length, 1, `${part}: ${atStart.join("\n")}`);
        }
        assert.equal(new Set(atStart).size, atStart.length, atStart.join("\n"));
        await assertEmulates(client);
        assert.equal(
          (await client.ask(classes("v1beta1"), {
            method: "POST",
            body: { metadata: { name: "fast" }, driverName: "d", parameters: { speed: "high" } },
          })).status,
          201,
        );

        await writeFile(
          join(folder, "thole.yaml"),
          `${settings.replace("[AlwaysAllow]", "[AlwaysDeny, AlwaysAllow]")}plugins: [-configmaps, -csi]\n`,
        );
        server.signal("SIGHUP");
        await until(async () => assert.match(await agreed(client, path), /^404 /));
        await until(() => assert.equal(server.errors().match(/"the configuration was read again and is active"/g)?.length, 2));
        const all = warnings();
        assert.equal(new Set(all).size, all.length, all.join("\n"));
        await assertEmulates(client);

        await writeFile(join(folder, "thole.yaml"), settings.replace("1.33", "1.35"));
        await until(() => assert.equal(server.errors().match(/rejected; the previous one stays active.*emulated-version/g)?.length, 2));
        await assertEmulates(client);

        await writeFile(join(folder, "thole.yaml"), settings);
        await until(async () => assert.match(await agreed(client, path), /^200 /));
        const pid = server.workers().get(2)!;
        signal(pid, "SIGKILL");
        await until(() => assert.notEqual(server.workers().get(2), pid));
        await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
        await assertEmulates(client);
        assert.match(await agreed(client, `${classes("v1beta1")}/fast`), /^200 /);
      },
      (folder) => writeFile(join(folder, "thole.yaml"), settings),
    ),
);
