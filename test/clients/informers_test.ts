// Informers of client-go, in JSON and protobuf, through a graceful restart of the server.
// In Deno's suite only: what clients are answered does not depend on the runtime; kubectl_test.ts and client-node_test.ts run on both.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { inFolder } from "../flags/served.ts";
import { freePort } from "../ports.ts";
import { ownRuntime, type RealServer, startRealServer, startSkipped, until } from "../real-server.ts";
import type { Report } from "../../tools/soak/client.ts";
import { buildInformers, type Informers, informersMissing, startInformers } from "../../tools/soak/informers-program.ts";

const mayDownload = process.env["THOLE_EXAMPLES"] === "all";
/** ConfigMaps and Secrets, in both encodings. */
const informers = 4;
/** Each of them happens more than ten times, however slow the machine is. */
const changes = ["creates", "updates", "deletes", "applies"] as const;
const timeout = 600_000;

test(
  "informers of client-go miss, repeat and reorder nothing through a graceful restart, and list once",
  { skip: startSkipped(ownRuntime), timeout },
  async (context) => {
    const missing = await informersMissing(mayDownload);
    if (missing !== undefined) return context.skip(missing);
    await inFolder(async (folder) => {
      const program = join(folder, "informers"), caFile = join(folder, "ca.pem");
      await buildInformers(program, mayDownload);
      const args = [`--secure-port=${await freePort()}`];
      let server: RealServer = await startRealServer({ runtime: ownRuntime, folder, args }), started: Informers | undefined;
      try {
        const { url, token, ca } = server;
        await writeFile(caFile, ca);
        const running = started = startInformers(program, {
          ...{ url, token, caFile, namespace: "default", pauseMs: 10 },
          encodings: ["json", "protobuf"],
        });
        const count = ({ counts }: Report, what: string) => counts[what] ?? 0;
        /** Waits until each informer watches, and many changes have come since. */
        const goesOn = async (watches: number) => {
          const before = await until(async () => {
            const report = await running.progress();
            assert.ok(count(report, "watches") + count(report, "initial lists") >= watches, JSON.stringify(report.counts));
            return report;
          });
          await until(async () => {
            const report = await running.progress();
            assert.ok(count(report, "events") > count(before, "events") + 100, JSON.stringify(report.counts));
          });
        };
        await goesOn(informers);
        const left = Date.now();
        server.signal("SIGTERM");
        assert.equal(await server.exited, 0, server.errors());
        server = await startRealServer({ runtime: ownRuntime, folder, args });
        await goesOn(2 * informers);
        await until(async () => {
          const report = await running.progress();
          for (const what of changes) assert.ok(count(report, what) > 10, JSON.stringify(report.counts));
        });
        const back = Date.now();
        const { counts, faults, failures } = await running.finish();
        assert.deepEqual(faults, []);
        assert.deepEqual(failures.filter(({ at }) => at < left || at > back), [], "only requests during the restart fail");
        assert.equal((counts["lists"] ?? 0) + (counts["initial lists"] ?? 0), informers, JSON.stringify(counts));
        assert.equal(counts["compared objects"], informers);
        for (const what of changes) assert.ok(counts[what]! > 10, `${what}: ${counts[what]}`);
      } finally {
        await started?.stop();
        await server.close();
      }
    });
  },
);
