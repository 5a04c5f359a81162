import assert from "node:assert/strict";
import { test } from "node:test";
import { startProgram, startSkipped, until } from "../real-server.ts";

for (const runtime of ["deno", "node"] as const) {
  test(`${runtime}: a start logs a warning for etcd over a network without TLS`, { skip: startSkipped(runtime) }, async () => {
    // The name never resolves (RFC 6761): the warning precedes the connection to etcd.
    const program = await startProgram(["--data-dir=:memory:", "--secure-port=0", "--etcd-servers=http://etcd.invalid:2379"], runtime);
    try {
      await until(() => assert.match(program.errors(), /Warning: etcd at etcd\.invalid:2379 is reached by http:\/\/ over a network/));
    } finally {
      program.signal("SIGKILL");
      await program.exited;
    }
  });
}
