// Logs, commands and ports of pods through a kubelet of the test's own.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect as tlsConnect, type TLSSocket } from "node:tls";
import { issue, withRelay } from "../../server/listen/testing/clients.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { type FakeKubelet, fakeKubelet } from "./fake-kubelet.ts";

let server: TestServer, client: Client, kubelet: FakeKubelet, folder: string;
const endless = Buffer.alloc(64 * 1024, "x");
let written = 0;

before(async () => {
  kubelet = await fakeKubelet((request, response) => {
    const { pathname } = new URL(request.url!, "https://kubelet");
    if (pathname.startsWith("/containerLogs/default/web/c")) {
      response.write("one\n");
      if (request.url!.includes("follow")) return;
      return void response.end("two\n");
    }
    if (pathname.startsWith("/containerLogs/default/flood/")) {
      const more = (): void => {
        while (response.write(endless)) written += endless.length;
        written += endless.length;
      };
      response.on("drain", more);
      return more();
    }
    if (pathname.startsWith("/containerLogs/default/cut/")) {
      response.writeHead(200, { "content-length": "100" });
      return void response.write("half", () => response.destroy());
    }
    const [, , , , code] = pathname.split("/");
    response.writeHead(Number(code?.slice(1)), { location: "https://127.0.0.1:1/elsewhere" }).end("a reason");
  });
  folder = await mkdtemp(join(tmpdir(), "thole-kubelet-"));
  const identity = issue({ usage: "client", commonName: "apiserver" }, kubelet.authority);
  const files = { ca: kubelet.authority.cert, crt: identity.cert, key: identity.key };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  server = await startTestServer({
    args: [
      `--kubelet-certificate-authority=${join(folder, "ca")}`,
      `--kubelet-client-certificate=${join(folder, "crt")}`,
      `--kubelet-client-key=${join(folder, "key")}`,
      "--kubelet-preferred-address-types=InternalIP",
      "--disable-admission-plugins=ServiceAccount",
    ],
  });
  client = httpsClient({ ...server, token: server.tokens.admin });
  await put("/api/v1/nodes", { metadata: { name: "n" } });
  await status("/api/v1/nodes/n", {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  });
  await put("/api/v1/nodes", { metadata: { name: "lost" } });
  await put("/api/v1/nodes", { metadata: { name: "down" } });
  await status("/api/v1/nodes/down", {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
  });
  for (const name of ["web", "flood", "cut"]) await pod(name, "n");
  await pod("broken", "n", ["x500", "x400", "x404", "x403", "x502", "x302", "x418"]);
  await pod("on-lost", "lost");
  await pod("on-down", "down");
  await pod("on-none", "none");
});
after(async () => {
  client.close();
  await server.close();
  kubelet.close();
  await rm(folder, { recursive: true });
});

async function put(path: string, body: unknown): Promise<void> {
  const answer = await client.ask(path, { method: "POST", body });
  assert.equal(answer.status, 201, answer.text);
}
async function status(path: string, value: unknown): Promise<void> {
  const answer = await client.ask(`${path}/status`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: { status: value },
  });
  assert.equal(answer.status, 200, answer.text);
}
function pod(name: string, nodeName: string, containers: readonly string[] = ["c"]): Promise<void> {
  const spec = { nodeName, containers: containers.map((each) => ({ name: each, image: "a" })) };
  return put("/api/v1/namespaces/default/pods", { metadata: { name }, spec });
}
const base = "/api/v1/namespaces/default/pods";

/** A raw request over HTTP/1.1, and what has come back. */
function raw(text: string, port = server.port): { readonly socket: TLSSocket; text(): string; readonly closed: Promise<void> } {
  let received = "";
  const socket = tlsConnect({ host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] }, () => socket.write(text));
  socket.on("data", (piece) => received += piece.toString("latin1")).on("error", () => {});
  return { socket, text: () => received, closed: new Promise((resolve) => socket.once("close", () => resolve())) };
}
function head(method: string, path: string, headers: Readonly<Record<string, string>> = {}, token = server.tokens.admin): string {
  const lines = Object.entries({ host: "api", authorization: `Bearer ${token}`, ...headers }).map(([name, value]) =>
    `${name}: ${value}\r\n`
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
const spdy = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" };
const webSocket = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-protocol": "v4.channel.k8s.io",
};

test("the log of a container comes from the kubelet, with the options of the client", async () => {
  const whole = await client.ask(`${base}/web/log?tailLines=5&timestamps=1&limitBytes=10&sinceSeconds=3&previous=true&container=c`);
  assert.deepEqual([whole.status, whole.text, whole.headers["content-type"]], [200, "one\ntwo\n", "text/plain"]);
  assert.equal(
    kubelet.asked.at(-1),
    "GET /containerLogs/default/web/c?limitBytes=10&previous=true&sinceSeconds=3&tailLines=5&timestamps=true",
  );
  assert.equal(kubelet.headers.at(-1)?.authorization, undefined);
});

test("a log that is followed comes as it is written, and ends with its client", async () => {
  const { socket, text } = raw(head("GET", `${base}/web/log?follow=true`));
  await until(() => text().includes("one\n"));
  assert.match(text(), /^HTTP\/1\.1 200 OK\r\n/);
  socket.destroy();
});

test("a log is sent over a websocket as text in base64 or as bytes; other protocols are refused", async () => {
  const offered = async (protocol: string | undefined) => {
    const { "sec-websocket-protocol": _other, ...own } = webSocket;
    const { socket, text, closed } = raw(
      head("GET", `${base}/web/log`, { ...own, ...(protocol === undefined ? {} : { "sec-websocket-protocol": protocol }) }),
    );
    await until(() =>
      text().includes("two\n") || text().includes("dHdvCg==") || text().includes('"code"') || text().includes("b25lCnR3bwo=")
    );
    socket.destroy();
    await closed;
    return text();
  };
  const inBase64 = await offered("base64.binary.k8s.io");
  assert.match(inBase64, /^HTTP\/1\.1 101 [^]*sec-websocket-protocol: base64\.binary\.k8s\.io\r\n/);
  assert.match(inBase64, /\r\n\r\n\x81[^]b25l/);
  for (const protocol of ["binary.k8s.io", undefined]) assert.match(await offered(protocol), /^HTTP\/1\.1 101 [^]*\r\n\r\n\x82[^]one\n/);
  assert.match(await offered("v4.channel.k8s.io"), /^HTTP\/1\.1 400 [^]*not as v4\.channel\.k8s\.io/);
});

test("a client that does not read its log makes the kubelet wait", () =>
  withRelay(server, 256 * 1024, async (relay) => {
    const { socket, text } = raw(head("GET", `${base}/flood/log`), relay.port);
    await until(() => text().length > 0);
    // The buffers of all three are full when nothing was written for many turns.
    for (let idle = 0, before = -1; idle < 100; idle = written === before ? idle + 1 : 0) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 1));
      assert.ok(written < 64 * 1024 * 1024, "the server reads a log that nobody takes");
    }
    socket.destroy();
  }));

test("errors of options, pods, nodes and kubelets are a Status in upstream's words", async () => {
  const known = "a container name must be specified for pod broken, choose one of: [x500 x400 x404 x403 x502 x302 x418]";
  const cases: readonly (readonly [path: string, code: number, reason: string | undefined, message: string | RegExp])[] = [
    [
      "web/log?tailLines=-1",
      422,
      "Invalid",
      /PodLogOptions "web" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0/,
    ],
    ["web/log?limitBytes=0", 422, "Invalid", /limitBytes: Invalid value: 0: must be greater than 0/],
    ["web/log?sinceSeconds=0", 422, "Invalid", /sinceSeconds: Invalid value: 0: must be greater than 0/],
    [
      "web/log?sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z",
      422,
      "Invalid",
      /at most one of `sinceTime` or `sinceSeconds` may be specified/,
    ],
    ["web/log?stream=Stdout", 422, "Invalid", /stream: Forbidden: may not be specified/],
    ["web/log?tailLines=x", 400, "BadRequest", 'strconv.ParseInt: parsing "x": invalid syntax'],
    ["nobody/log", 404, "NotFound", 'pods "nobody" not found'],
    ["web/log?container=d", 400, "BadRequest", "container d is not valid for pod web"],
    ["broken/log", 400, "BadRequest", known],
    ["on-none/log", 404, "NotFound", 'nodes "none" not found'],
    ["on-lost/log", 500, undefined, "no preferred addresses found; known addresses: []"],
    [
      "on-down/log",
      500,
      undefined,
      'Get "https://127.0.0.1:1/containerLogs/default/on-down/c": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    ["broken/log?container=x500", 500, "InternalError", "Internal error occurred: a reason"],
    ["broken/log?container=x400", 400, "BadRequest", "a reason"],
    ["broken/log?container=x404", 404, "NotFound", "the server could not find the requested resource ( pods/log broken)"],
    ["broken/log?container=x403", 403, "Forbidden", "a reason ( pods/log broken)"],
    [
      "broken/log?container=x502",
      502,
      "InternalError",
      'an error on the server ("a reason") has prevented the request from succeeding ( pods/log broken)',
    ],
    ["broken/log?container=x302", 500, undefined, 'Get "https://127.0.0.1:1/elsewhere": redirects forbidden'],
    [
      "broken/log?container=x418",
      418,
      undefined,
      "the server responded with the status code 418 but did not return more information ( pods/log broken)",
    ],
    ["web/exec?command=ls", 400, "BadRequest", "Upgrade request required"],
    ["web/exec?dryRun=All", 400, "BadRequest", "dryRun is not supported"],
  ];
  for (const [path, code, reason, message] of cases) {
    const answer = await client.ask(`${base}/${path}`), { kind, reason: found, message: text } = answer.json();
    assert.deepEqual([answer.status, kind, found], [code, "Status", reason], path);
    if (typeof message === "string") assert.equal(text, message, path);
    else assert.match(text, message, path);
  }
});

test("a proxied request reaches only addresses that lead out, at ports, of objects that it names", async () => {
  await pod("out", "n");
  await status(`${base}/out`, { podIPs: [{ ip: "203.0.113.1" }], podIP: "203.0.113.1" });
  await pod("in", "n");
  await status(`${base}/in`, { podIPs: [{ ip: "127.0.0.1" }], podIP: "127.0.0.1" });
  const asked = async (path: string) => {
    const answer = await client.ask(path);
    return [answer.status, answer.json().message];
  };
  assert.deepEqual(await asked(`${base}/in:80/proxy/`), [400, "address not allowed"]);
  for (const port of ["80@127.0.0.1", "80%23", "80%3f", "80%5cx", "abc", "99999", "-1"]) {
    const [code, message] = await asked(`${base}/out:${port}/proxy/`);
    assert.deepEqual(
      [code, /^error trying to reach service: dial tcp: address .*: invalid port$/.test(message)],
      [503, true],
      `${port} ${message}`,
    );
  }
  // Whose name is a field selector, the request would be authorized as a list.
  for (const path of [`${base}//log`, `${base}//proxy/`, "/api/v1/nodes//proxy/pods"]) {
    const { status: code } = await client.ask(`${path}?fieldSelector=metadata.name%3Dout`);
    assert.ok(code === 404 || code === 405, `${path} ${code}`);
  }
});

test("a kubelet that breaks off in the middle of a log breaks the reply off", async () => {
  const { text, closed } = raw(head("GET", `${base}/cut/log`));
  await closed;
  assert.match(text(), /half/);
  assert.doesNotMatch(text(), /\r\n0\r\n\r\n/, "the reply looks complete");
});

test("a command changes the protocol: bytes pass in both directions, for SPDY and for websockets", async () => {
  for (
    const [method, offer, path] of [["POST", spdy, "exec?command=ls&command=-l&stdin=true&stdout=1&stderr=0&tty=false"], [
      "GET",
      webSocket,
      "exec?command=ls&command=-l&stdin=true&stdout=1",
    ]] as const
  ) {
    const { socket, text, closed } = raw(head(method, `${base}/web/${path}`, offer) + "early");
    await until(() => text().endsWith("early"));
    assert.match(text(), /^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\nhelloearly$/);
    assert.equal(kubelet.asked.at(-1), `${method} /exec/default/web/c?command=ls&command=-l&input=1&output=1`);
    assert.equal(kubelet.headers.at(-1)?.authorization, undefined);
    assert.equal(kubelet.headers.at(-1)?.["x-forwarded-for"], "127.0.0.1");
    const much = "y".repeat(1_000_000);
    const before = text().length;
    socket.write(much);
    await until(() => text().length === before + much.length);
    socket.end();
    await closed;
  }
});

test("attach and portforward are at other paths of the kubelet", async () => {
  for (
    const [path, asked] of [["attach?stdout=true", "/attach/default/web/c?output=1"], [
      "portforward?ports=80&ports=81",
      "/portForward/default/web?port=80%2C81",
    ]]
  ) {
    const { socket, text } = raw(head("POST", `${base}/web/${path}`, spdy));
    await until(() => text().endsWith("hello"));
    assert.equal(kubelet.asked.at(-1), `POST ${asked}`);
    socket.destroy();
  }
});

test("a websocket for ports carries the bytes of SPDY in its messages", async () => {
  const offer = { ...webSocket, "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io" };
  const frame = Buffer.from([0x82, 0x84, 0, 0, 0, 0]).toString("latin1") + "ping";
  const { socket, text } = raw(head("GET", `${base}/web/portforward`, offer));
  await until(() => text().endsWith("\x82\x05hello"));
  assert.match(text(), /^HTTP\/1\.1 101 [^]*sec-websocket-protocol: SPDY\/3\.1\+portforward\.k8s\.io\r\n/);
  assert.equal(kubelet.asked.at(-1), "POST /portForward/default/web");
  assert.equal(kubelet.headers.at(-1)?.upgrade, "SPDY/3.1");
  socket.write(frame, "latin1");
  await until(() => text().endsWith("\x82\x04ping"));
  socket.destroy();
});

test("a kubelet that is not there refuses an upgrade with a Status", async () => {
  const { text, closed } = raw(head("POST", `${base}/on-down/exec?command=ls`, spdy));
  await closed;
  assert.match(text(), /^HTTP\/1\.1 500 /);
  assert.match(text(), /"message":"error dialing backend: dial tcp 127\.0\.0\.1:1: connect: connection refused","code":500/);
});

test("a user who may get may not execute: the upgrade needs the right to create", async () => {
  const role = { metadata: { name: "reader" }, rules: [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get"] }] };
  await put("/apis/rbac.authorization.k8s.io/v1/clusterroles", role);
  await put("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" }],
  });
  const { text, closed } = raw(head("GET", `${base}/web/exec?command=ls`, webSocket, server.tokens.alice));
  await closed;
  assert.match(text(), /^HTTP\/1\.1 403 /);
  assert.match(text(), /cannot create resource|pods \\"web\\" is forbidden/);
});

test("a validating policy of CONNECT sees the options", async () => {
  const group = "/apis/admissionregistration.k8s.io/v1";
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CONNECT"], resources: ["pods/exec"] };
  await put(`${group}/validatingadmissionpolicies`, {
    metadata: { name: "no-shell" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "object.kind != 'PodExecOptions' || !('sh' in object.command)", message: "no shells" }],
    },
  });
  await put(`${group}/validatingadmissionpolicybindings`, {
    metadata: { name: "no-shell" },
    spec: { policyName: "no-shell", validationActions: ["Deny"] },
  });
  let text = "";
  // A policy is in force a moment after its creation.
  for (;;) {
    const answer = await client.ask(`${base}/web/exec?command=sh`);
    text = answer.text;
    if (answer.status !== 400) break;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.match(text, /ValidatingAdmissionPolicy 'no-shell' with binding 'no-shell' denied request: no shells/);
  assert.match((await client.ask(`${base}/web/exec?command=ls`)).text, /Upgrade request required/);
});

test("requests for logs, and websockets of ports and commands, are counted under upstream's names", async () => {
  const count = async (line: string): Promise<number> => {
    const { text } = await client.ask("/metrics");
    return Number(text.split("\n").find((each) => each.startsWith(`${line} `))?.slice(line.length) ?? 0);
  };
  const lines = [
    'kube_apiserver_pod_logs_insecure_backend_total{usage="enforce_tls"}',
    'kube_apiserver_pod_logs_insecure_backend_total{usage="skip_tls_allowed"}',
    'apiserver_stream_tunnel_requests_total{code="101"}',
    'apiserver_stream_translator_requests_total{code="500"}',
  ];
  const all = () => Promise.all(lines.map(count)), before = await all();
  await client.ask(`${base}/web/log`);
  await client.ask(`${base}/web/log?insecureSkipTLSVerifyBackend=true`);
  const ports = raw(head("GET", `${base}/web/portforward`, { ...webSocket, "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io" }));
  await until(() => ports.text().endsWith("\x82\x05hello"));
  ports.socket.destroy();
  const command = raw(
    head("GET", `${base}/on-down/exec?command=ls&stdout=true`, { ...webSocket, "sec-websocket-protocol": "v5.channel.k8s.io" }),
  );
  await command.closed;
  assert.deepEqual(await all(), before.map((each) => each + 1));
});

test("a kubelet that is not there is an error on the channel of errors of a websocket with v5.channel.k8s.io", async () => {
  const offer = { ...webSocket, "sec-websocket-protocol": "v5.channel.k8s.io" };
  const { text, closed } = raw(head("GET", `${base}/on-down/exec?command=ls&stdout=true`, offer));
  await closed;
  assert.match(text(), /^HTTP\/1\.1 101 /);
  assert.ok(text().includes("\r\n\r\n\x82\x01\x01\x82"), "no message that the websocket is there");
  assert.match(text(), /\{"metadata":\{\},"status":"Failure","message":"Internal error occurred: /);
  assert.match(
    text(),
    /Post \\"https:\/\/127\.0\.0\.1:1\/exec\/default\/on-down\/c\?command=ls&output=1\\": dial tcp 127\.0\.0\.1:1: connect: connection refused/,
  );
});
