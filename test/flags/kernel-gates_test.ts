// Kernel gates change the server's behaviour, at start and at run time.
// In Deno's suite only: what a setting changes does not depend on the runtime.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { kernelGates, stageAt } from "../../core/released/gates.ts";
import { serverRelease } from "../../core/releases.ts";
import { issue } from "../../server/listen/testing/clients.ts";
import { httpsClient } from "../https.ts";
import { requestsUntilGoaway } from "./goaway.ts";
import { inFolder, type Served, served } from "./served.ts";

/** Responses with the gate enabled and disabled. */
interface Switched {
  /** Flags in addition to the gate; files are in the folder. */
  readonly flags?: (folder: string) => Promise<readonly string[]>;
  readonly sees: (server: Served) => Promise<unknown>;
  readonly on: unknown;
  readonly off: unknown;
}

const ca = issue({ usage: "ca", commonName: "theirs" });
const carol = issue({ usage: "client", commonName: "carol", organizations: ["system:masters"], uids: ["7"] }, ca);

/** Number of members with this name in a document, at any depth. */
function countOf(member: string, value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, inner]) => sum + (key === member ? 1 : 0) + countOf(member, inner), 0);
}

const cases: Readonly<Record<string, Switched>> = {
  UnauthenticatedHTTP2DOSMitigation: {
    sees: async (
      server,
    ) => [
      await requestsUntilGoaway({ ...server, token: "" }, 3),
      await requestsUntilGoaway({ ...server, token: "bad" }, 3),
      await requestsUntilGoaway(server, 3),
    ],
    on: [1, 1, 0],
    off: [0, 0, 0],
  },
  AllowParsingUserUIDFromCertAuth: {
    async flags(folder) {
      await writeFile(join(folder, "clients.pem"), ca.cert);
      return [`--client-ca-file=${join(folder, "clients.pem")}`];
    },
    async sees({ port, ca }) {
      const client = httpsClient({ port, ca, identity: carol });
      const { status, json } = await client.ask("/apis/authentication.k8s.io/v1/selfsubjectreviews", { method: "POST", body: {} });
      client.close();
      assert.equal(status, 201);
      const { username, uid, extra } = json().status.userInfo;
      assert.match(extra["authentication.kubernetes.io/credential-id"][0], /^X509SHA256=[0-9a-f]{64}$/);
      return [username, uid];
    },
    on: ["carol", "7"],
    off: ["carol", undefined],
  },
  StorageVersionHash: {
    async sees({ client }) {
      const resources: readonly any[] = (await client.ask("/api/v1")).json().resources;
      return [resources.find(({ name }) => name === "configmaps").storageVersionHash, countOf("storageVersionHash", resources) > 1];
    },
    on: ["qFsyl6wFWjQ=", true],
    off: [undefined, false],
  },
  OpenAPIEnums: {
    async sees({ client }) {
      const [v2, v3] = await Promise.all(
        ["/openapi/v2", "/openapi/v3/apis/storage.k8s.io/v1"].map(async (path) => (await client.ask(path)).json()),
      );
      const { volumeBindingMode } = v3.components.schemas["io.k8s.api.storage.v1.StorageClass"].properties;
      return [volumeBindingMode.enum, countOf("enum", v3.components) > 1, countOf("enum", v2.definitions) > 1];
    },
    on: [["Immediate", "WaitForFirstConsumer"], true, true],
    off: [undefined, false, false],
  },
};

for (const [gate, { flags = () => Promise.resolve([]), sees, on, off }] of Object.entries(cases)) {
  test(`${gate} changes responses, and takes effect while the server runs`, () =>
    inFolder(async (folder) => {
      const byDefault = stageAt(kernelGates[gate] ?? [], serverRelease)?.default === true;
      const expected = (is: boolean) => (is ? on : off);
      const more = await flags(folder);
      await served(more, async (server) => assert.deepEqual(await sees(server), expected(byDefault), "by default"));
      const file = join(folder, "thole.yaml");
      await writeFile(file, `feature-gates: {${gate}: ${!byDefault}}\n`);
      await served([`--config=${file}`, ...more], async (server) => {
        assert.deepEqual(await sees(server), expected(!byDefault), "switched at the start");
        await writeFile(file, `feature-gates: {${gate}: ${byDefault}}\n`);
        await server.running.reload();
        assert.deepEqual(await sees(server), expected(byDefault), "switched back while it runs");
      });
    }));
}
