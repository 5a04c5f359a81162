// Keeps the code of a start and of some thousand requests beside the script of the server, for a folder that no server writes to. The build of the image
// runs it with the Deno of the image: `deno run -A FOLDER/keep-code.js`. V8 also keeps which functions it has optimized, and optimizes these sooner then.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { keepCode, server } from "./load-server.mjs";

const readyMsMax = 60_000, againMs = 50;
/** Rounds over HTTP/2, and how many are under way. V8 optimizes a function after some 400 calls. In many more rounds it discards the code of the start. */
const rounds = 200, underWay = 4;
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
const all = "/api/v1/namespaces/default/configmaps";

/** A request of each verb for an object of this name, with the status that it has. */
function requestsOf(name) {
  const one = `${all}/${name}`,
    object = (value) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } });
  return [
    [201, "POST", all, object("1")],
    [200, "GET", one],
    [200, "GET", all],
    [200, "PUT", one, object("2")],
    [200, "PATCH", one, object("3"), "application/merge-patch+json"],
    [200, "PATCH", `${one}?fieldManager=a&force=1`, object("4"), "application/apply-patch+yaml"],
    [200, "DELETE", one],
  ];
}

/** Sends requests, of which each `send` resolves with a status, one after the other. */
async function sendAll(requests, send) {
  for (const [status, method, path, ...body] of requests) {
    const found = await send(method, path, ...body);
    if (found !== status) throw new Error(`${method} ${path}: ${found}`);
  }
}

const watch = [200, "GET", `${all}?watch=1&timeoutSeconds=1&resourceVersion=0`];
await sendAll(
  [[200, "GET", "/apis"], [200, "GET", "/openapi/v3"], watch, ...requestsOf("a")],
  (method, path, ...body) => ask(method, path, admin, ...body),
);

// As clients in Go send them.
const session = connect(`https://127.0.0.1:${port}`, admin);
function askSession(method, path, body, type = "application/json") {
  return new Promise((resolve, reject) => {
    const headers = {
      ":method": method,
      ":path": path,
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": type }),
    };
    const stream = session.request(headers, { endStream: body === undefined });
    let status;
    stream.on("response", (head) => status = head[":status"]);
    stream.on("error", reject).on("end", () => resolve(status)).resume();
    if (body !== undefined) stream.end(body);
  });
}
await sendAll([watch], askSession);
for (let round = 0; round < rounds; round++) {
  await Promise.all(Array.from({ length: underWay }, (_, index) => sendAll(requestsOf(`b${index}`), askSession)));
}
keepCode();
rmSync(data, { recursive: true });
process.exit();
