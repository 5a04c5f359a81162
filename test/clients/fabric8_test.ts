// Informers of Java's fabric8 client, which open their watches by websocket, with the kubeconfig of the server.
// In Deno's suite only: the websockets of both runtimes have tests of their own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run, startRealServer, startSkipped, until } from "../real-server.ts";

const project = fileURLToPath(new URL("fabric8", import.meta.url));
const missing = ["java", "mvn"].find((name) => spawnSync(name, ["-version"], { timeout: 10_000 }).status !== 0);

test(
  "fabric8's informers get every event",
  { skip: missing !== undefined ? `no ${missing} on PATH` : startSkipped("deno") },
  async (context) => {
    const folder = await mkdtemp(join(tmpdir(), "thole-fabric8-"));
    try {
      await cp(project, folder, { recursive: true });
      const classes = join(folder, "classpath");
      // Offline: the suite downloads nothing.
      const words = ["-o", "-q", "-B", "-f", folder, "compile", "dependency:build-classpath", `-Dmdep.outputFile=${classes}`];
      const built = await run("mvn", words);
      if (built.code !== 0) {
        return context.skip(
          `fabric8 is not in Maven's local repository: mvn -f ${project} compile dependency:build-classpath downloads it`,
        );
      }
      const server = await startRealServer();
      try {
        const path = `${join(folder, "target/classes")}:${await readFile(classes, "utf8")}`;
        const { output, errors } = await until(() => run("java", ["-cp", path, "Informers", server.kubeconfig]));
        assert.deepEqual(output.trim().split("\n"), ["added", "updated", "deleted", "all events"], errors);
      } finally {
        await server.close();
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
