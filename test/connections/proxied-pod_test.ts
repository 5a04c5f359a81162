// Requests through `proxy` to a pod, directly and through its service and node. Addresses of the machine itself are refused, so the pod has one in a
// network namespace of the test's own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const address = "203.0.113.7";
/** Runs a command in a network namespace in which the loopback interface has the address too. */
function inNamespace(...command: readonly string[]) {
  const script = `ip link set lo up && ip addr add ${address}/32 dev lo && exec "$@"`;
  return spawnSync("unshare", ["--map-root-user", "--net", "--", "sh", "-c", script, "sh", ...command], { encoding: "utf8" });
}
const isPossible = process.platform === "linux" && inNamespace("true").status === 0;
const skip = isPossible ? false : "no network namespace can be made here (unshare, ip)";

test(
  "a request through proxy reaches a pod, at its address, through its service and at a port of its node, and links lead back",
  { skip },
  () => {
    const program = fileURLToPath(new URL("proxied-pod.ts", import.meta.url));
    const runtime = "Deno" in globalThis ? [process.execPath, "run", "-A", "--no-check"] : [process.execPath];
    const { stdout, stderr, status } = inNamespace(...runtime, program, address);
    assert.equal(status, 0, stderr);
    const reply = (prefix: string) => [[200, `GET /a/b?c=d ${prefix}/proxy/a/b`], [200, `<a href="${prefix}/proxy/next">`]];
    assert.deepEqual(JSON.parse(stdout.trim().split("\n").at(-1)!), [
      ...reply("/api/v1/namespaces/default/pods/web"),
      ...reply("/api/v1/namespaces/default/pods/web:PORT"),
      ...reply("/api/v1/namespaces/default/services/web:80"),
      ...reply("/api/v1/nodes/http:n:PORT"),
    ]);
  },
);
