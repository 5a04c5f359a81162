// Makes the pictures of the status page anew: `npm run pictures`. Needs Chromium and kubectl on PATH.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "./runtimes.mjs";

const folder = mkdtempSync(join(tmpdir(), "thole-pictures-"));
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--hide-scrollbars",
];

/** Resolves with the first match of a pattern in the output of a program. */
function found(child, pattern) {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const match = pattern.exec(line);
      if (match !== null) resolve(match[1]);
    });
    child.on("close", (code) => reject(new Error(`${child.spawnargs.join(" ")} ends with ${code}`)));
  });
}

const server = spawn(process.execPath, [join(root, "scripts/start.mjs"), "--data-dir=:memory:", "--secure-port=0"], {
  stdio: ["ignore", "pipe", "ignore"],
});
const kubeconfig = await found(server, /^export KUBECONFIG=(.*)$/);
const env = { ...process.env, KUBECONFIG: kubeconfig };
const kubectl = (...args) => spawnSync("kubectl", args, { env, encoding: "utf8" });
const proxy = spawn("kubectl", ["proxy", "--port=0"], { env, stdio: ["ignore", "pipe", "ignore"] });
try {
  const address = await found(proxy, /Starting to serve on (.*)$/);
  const watches = ["configmaps", "secrets"].map((kind) =>
    spawn("kubectl", ["get", kind, "--all-namespaces", "--watch"], { env, stdio: "ignore" })
  );
  for (let index = 0; index < 40; index++) kubectl("create", "configmap", `settings-${index}`, `--from-literal=index=${index}`);
  await fetch(`http://${address}/`, { headers: { accept: "text/html" } });
  for (let index = 0; index < 12; index++) {
    kubectl(...(index % 3 === 0 ? ["annotate", "configmap", "settings-0", `n=${index}`, "--overwrite"] : ["get", "configmaps"]));
  }
  for (const [name, scheme] of [["status-page", "light"], ["status-page-dark", "dark"]]) {
    await pause(1_000);
    const dark = scheme === "dark" ? ["--blink-settings=preferredColorScheme=0"] : ["--blink-settings=preferredColorScheme=1"];
    const path = join(root, `docs/pictures/${name}.png`);
    spawnSync("chromium", [
      ...flags,
      ...dark,
      `--user-data-dir=${join(folder, name)}`,
      "--window-size=1100,760",
      `--screenshot=${path}`,
      `http://${address}/?refresh=0`,
    ]);
    console.log(path);
  }
  for (const watch of watches) watch.kill();
} finally {
  proxy.kill();
  server.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
