// Gates of the kernel change what the server does when they are switched, at the start and while it runs.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { kernelGates, stageAt, targetRelease } from "../../kernel/gates.ts";
import { sentAway } from "./sent-away.ts";
import { inFolder, type Served, served } from "./served.ts";

/** What clients see while a gate is on, and while it is off. */
interface Switched {
  readonly sees: (server: Served) => Promise<unknown>;
  readonly on: unknown;
  readonly off: unknown;
}

const cases: Readonly<Record<string, Switched>> = {
  UnauthenticatedHTTP2DOSMitigation: {
    sees: async (
      server,
    ) => [await sentAway({ ...server, token: "" }, 3), await sentAway({ ...server, token: "bad" }, 3), await sentAway(server, 3)],
    on: [1, 1, 0],
    off: [0, 0, 0],
  },
};

for (const [gate, { sees, on, off }] of Object.entries(cases)) {
  test(`${gate} changes what clients see, and takes effect while the server runs`, () =>
    inFolder(async (folder) => {
      const byDefault = stageAt(kernelGates[gate] ?? [], targetRelease)?.default === true;
      const expected = (is: boolean) => (is ? on : off);
      await served([], async (server) => assert.deepEqual(await sees(server), expected(byDefault), "by default"));
      const file = join(folder, "thole.yaml");
      await writeFile(file, `feature-gates: {${gate}: ${!byDefault}}\n`);
      await served([`--config=${file}`], async (server) => {
        assert.deepEqual(await sees(server), expected(!byDefault), "switched at the start");
        await writeFile(file, `feature-gates: {${gate}: ${byDefault}}\n`);
        await server.running.reload();
        assert.deepEqual(await sees(server), expected(byDefault), "switched back while it runs");
      });
    }));
}
