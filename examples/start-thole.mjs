// Starts a server in memory for the tests of examples.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";

/** Resolves when the server is ready. `kubectl` and `run`, for another program, work as the administrator. `THOLE` names another command, but not npx, which does not pass signals on. */
export async function startThole(...flags) {
  const [command, ...words] = (process.env.THOLE ?? "node_modules/.bin/thole").split(" ");
  const server = spawn(command, [...words, "--data-dir=:memory:", "--secure-port=0", "--exit-on-stdin-close", ...flags], {
    // The server ends when its standard input closes, even if this process is killed.
    stdio: ["pipe", "pipe", "inherit"],
  });
  let url, kubeconfig;
  for await (const line of createInterface({ input: server.stdout })) {
    url ??= /^Thole serves on (\S+)$/.exec(line)?.[1];
    if (!line.startsWith("export KUBECONFIG=")) continue;
    kubeconfig = line.slice("export KUBECONFIG=".length);
    break;
  }
  if (kubeconfig === undefined) throw new Error("the server ended before it was ready");
  const run = (program, args) => spawnSync(program, args, { encoding: "utf8", env: { ...process.env, KUBECONFIG: kubeconfig } });
  return {
    url,
    kubeconfig,
    run,
    kubectl: (...args) => run("kubectl", args),
    async stop() {
      server.kill("SIGTERM");
      if (server.exitCode === null) await once(server, "exit");
    },
  };
}
