// Keeps the code of a start and of the first requests beside the script of the server, for a folder that no server writes to. The build of the image
// runs it with the Deno of the image: `deno run -A FOLDER/keep-code.js`.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { keepCode, server } from "./load-server.mjs";

const readyMsMax = 60_000, againMs = 50;
const data = mkdtempSync(join(tmpdir(), "thole-keep-code-")), port = await freePort();
const credential = (name) => readFileSync(join(data, "pki", name), "utf8");

async function freePort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  await once(listener.close(), "close");
  return port;
}

/** Resolves with the status. */
function ask(method, path, tls, body, type = "application/json") {
  return new Promise((resolve, reject) => {
    const headers = { accept: "application/json", "content-type": type };
    const asking = request({ host: "127.0.0.1", port, method, path, headers, agent: false, ...tls }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

process.argv.push(`--data-dir=${data}`, `--secure-port=${port}`);
server.main();
for (const begun = performance.now();;) {
  if (await ask("GET", "/readyz", { rejectUnauthorized: false }).catch(() => 0) === 200) break;
  if (performance.now() - begun > readyMsMax) throw new Error("The server is not ready");
  await new Promise((resolve) => setTimeout(resolve, againMs));
}
const admin = { ca: credential("ca.crt"), cert: credential("admin.crt"), key: credential("admin.key") };
const all = "/api/v1/namespaces/default/configmaps", one = `${all}/a`;
const object = (value) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { value } });
for (
  const [status, ...asked] of [
    [200, "GET", "/apis"],
    [200, "GET", "/openapi/v3"],
    [201, "POST", all, object("1")],
    [200, "GET", one],
    [200, "GET", all],
    [200, "GET", `${all}?watch=1&timeoutSeconds=1&resourceVersion=0`],
    [200, "PUT", one, object("2")],
    [200, "PATCH", one, object("3"), "application/merge-patch+json"],
    [200, "PATCH", `${one}?fieldManager=a&force=1`, object("4"), "application/apply-patch+yaml"],
    [200, "DELETE", one],
  ]
) {
  const [method, path, ...body] = asked;
  const found = await ask(method, path, admin, ...body);
  if (found !== status) throw new Error(`${method} ${path}: ${found}`);
}
keepCode();
rmSync(data, { recursive: true });
process.exit();
