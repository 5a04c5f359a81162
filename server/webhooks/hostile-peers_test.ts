// Every kind of remote server against every hostile answer: one client, one set of bounds.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createServer, type TLSSocket } from "node:tls";
import { issue } from "../listen/testing/clients.ts";
import { requestInfo } from "../../kernel/request/request-info.ts";
import { issuerFetch } from "../startup/issuer-fetch.ts";
import { eventOf } from "../../test/audit/events.ts";
import { webhookBackend } from "../audit/webhook-backend.ts";
import { tokenReviewer } from "../../plugins/authentication/reviewed-tokens.ts";
import { accessReviews } from "./authorization/access-review.ts";
import { attributesOf } from "../../kernel/access/authorization/attributes.ts";
import { admissionWebhooks } from "./admission-webhooks.ts";
import type { RemoteAccess } from "../../protocols/remote/remote-access.ts";
import { remoteClient } from "../../protocols/remote/remote-client.ts";
import { webhookClients } from "./webhook-client.ts";
import { remoteHeadBytesMax, remoteInformationalMax } from "../../protocols/remote/begin-request.ts";

const never = new AbortController().signal;
/** Pauses between attempts take no time. */
const clock = { now: () => 0, after: (_ms: number, run: () => void) => (setImmediate(run), () => {}) };

interface Script {
  readonly first: string;
  /** Sent again and again, until the connection is closed; "": nothing more. Without it the server closes the connection. */
  readonly endless?: string;
}
const head = (headers = "") => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${headers}\r\n`;
const chunked = head("Transfer-Encoding: chunked\r\n");
const large = "a".repeat(4_000);

/** Answers that never are one. */
const hostile: Readonly<Record<string, Script>> = {
  "100 Continue without end": { first: "", endless: "HTTP/1.1 100 Continue\r\n\r\n".repeat(500) },
  "103 Early Hints without end": { first: "", endless: "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=x\r\n\r\n".repeat(500) },
  "large informational answers": { first: "HTTP/1.1 103 Early Hints\r\n", endless: `X: ${large}\r\n` },
  "another protocol": { first: "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", endless: large },
  "empty lines before the status": { first: "", endless: "\r\n".repeat(10_000) },
  "a status line without end": { first: "HTTP/1.1 200 ", endless: large },
  "one header without end": { first: "HTTP/1.1 200 OK\r\nX: ", endless: large },
  "headers without end": { first: "HTTP/1.1 200 OK\r\n", endless: "a: b\r\n".repeat(5_000) },
  "a body without end": { first: head(), endless: " ".repeat(65_536) },
  "chunks of one byte without end": { first: chunked, endless: "1\r\n \r\n".repeat(5_000) },
  "chunks of three bytes without end": { first: chunked, endless: "3\r\n   \r\n".repeat(5_000) },
  "an extension of a chunk without end": { first: `${chunked}1;`, endless: large },
  "extensions of chunks without end": { first: chunked, endless: `1;${large}\r\n \r\n` },
  "trailers without end": { first: `${chunked}0\r\n`, endless: "a: b\r\n".repeat(5_000) },
  "no HTTP": { first: "", endless: "\xff".repeat(10_000) },
  "the end of the connection": { first: "" },
  "less than announced": { first: `${head("Content-Length: 1000\r\n")}{}` },
  "a redirect to itself": { first: "HTTP/1.1 307 Temporary Redirect\r\nLocation: ?again\r\nContent-Length: 0\r\n\r\n" },
  "a redirect to another host": { first: "HTTP/1.1 307 Temporary Redirect\r\nLocation: //127.0.0.2/x\r\nContent-Length: 0\r\n\r\n" },
};

/** A TLS server that plays a script on each connection, and knows which connections are open. */
async function withPeer(
  run: (peer: { access: RemoteAccess & { ca: string }; play(script: Script): void; open: Set<TLSSocket> }) => Promise<void>,
) {
  const ca = issue({ usage: "ca", commonName: "authority" });
  const open = new Set<TLSSocket>();
  let script: Script = { first: "" };
  const server = createServer(issue({ usage: "server", names: ["localhost", "127.0.0.1"] }, ca), (socket) => {
    const { first, endless } = script;
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    socket.once("data", () => {
      if (first !== "") socket.write(first, "latin1"); // on Deno the write of an empty text does not end
      if (endless === undefined) return void socket.end();
      if (endless === "") return;
      const more = () => {
        if (socket.destroyed) return;
        if (socket.write(endless, "latin1")) setImmediate(more);
        else socket.once("drain", () => setImmediate(more));
      };
      more();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server
  try {
    await run({ access: { server: new URL(`https://127.0.0.1:${port}/`), ca: ca.cert }, play: (next) => script = next, open });
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
  }
}

/** The outcome of one use of a remote server: "failed" in each of its ways. */
type Use = (access: RemoteAccess & { ca: string }) => Promise<"failed" | "used">;
const outcome = (promise: Promise<unknown>): Promise<"failed" | "used"> => promise.then(() => "used", () => "failed");

const uses: Readonly<Record<string, Use>> = {
  async "conversion webhook"({ server, ca }) {
    const clients = webhookClients();
    const used = await outcome(clients.post({ url: server.href, ca }, "{}"));
    clients.keep(new Set());
    return used;
  },
  async "admission webhook"({ server, ca }) {
    const webhooks = admissionWebhooks();
    const { tag } = await webhooks.call({ webhook: { url: server.href, ca }, json: "{}", timeoutMs: 30_000, step: "s" }, never);
    webhooks.close();
    return tag === "failed" ? "failed" : "used";
  },
  async "token webhook"(access) {
    const client = remoteClient(() => Promise.resolve(access));
    const audiences = () => ["api"], apiVersion = "authentication.k8s.io/v1";
    const reviewer = tokenReviewer({ name: "w", client, path: "", apiVersion, audiences, signal: never });
    const used = await outcome(reviewer.authenticateToken("token", []));
    client.close();
    return used;
  },
  async "authorization webhook"(access) {
    const client = remoteClient(() => Promise.resolve(access));
    const authorizer = accessReviews({
      name: "w",
      server: { client, path: "", version: "v1", timeoutMs: 30_000 },
      cached: { allowedMs: 0, deniedMs: 0 },
      onError: "deny",
      reports: { log() {} },
      clock,
      random: () => 0,
      signal: never,
    });
    const decision = await authorizer.authorize({ name: "ann", groups: [] }, attributesOf(requestInfo("GET", "/api/v1/nodes")!));
    client.close();
    return decision.verdict === "deny" ? "failed" : "used";
  },
  async "audit webhook"(access) {
    const client = remoteClient(() => Promise.resolve(access));
    const backend = webhookBackend({ client, domain: "k8s.io", initialBackoffMs: 0, clock, random: () => 0, lost() {} });
    const delivered = await backend.process([eventOf("a")]);
    await backend.close(never);
    return delivered ? "used" : "failed";
  },
  "issuer": ({ server, ca }) => outcome(issuerFetch(ca)(server.href).then(({ status }) => assert.equal(status, 200))),
  async "cluster in front"(access) {
    const client = remoteClient(() => Promise.resolve(access));
    const used = await outcome(Array.fromAsync(client.stream("/watch", never)));
    client.close();
    return used;
  },
};

for (const [kind, use] of Object.entries(uses)) {
  test(`${kind}: each hostile answer is an error, and its connection is closed`, () =>
    withPeer(async ({ access, play, open }) => {
      for (const [name, script] of Object.entries(hostile)) {
        play(script);
        const used = await use(access);
        assert.equal(used, "failed", `${kind}: ${name}`);
        await until(() => open.size === 0);
      }
    }));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("five informational answers are accepted, a sixth is not; the head has a bound", () =>
  withPeer(async ({ access, play }) => {
    const outcomeOf = async (first: string) => {
      play({ first });
      const client = remoteClient(() => Promise.resolve(access));
      const got = await client.send({ method: "GET", path: "", signal: never }).then(
        ({ status }) => status,
        (error: Error) => error.message,
      );
      client.close();
      return got;
    };
    const hint = "HTTP/1.1 103 Early Hints\r\n\r\n", end = `${head("Content-Length: 2\r\n")}{}`;
    assert.equal(await outcomeOf(hint.repeat(remoteInformationalMax) + end), 200);
    assert.match(String(await outcomeOf(hint.repeat(remoteInformationalMax + 1) + end)), /too many 1xx informational responses/);
    const padded = (bytes: number) => `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: ${"a".repeat(bytes)}\r\n\r\n{}`;
    assert.equal(await outcomeOf(padded(remoteHeadBytesMax - 1_000)), 200);
    assert.match(String(await outcomeOf(padded(remoteHeadBytesMax + 1))), /^127\.0\.0\.1:\d+: /);
  }));

test("an answer of many small chunks is accepted if it is small, or the chunks have five bytes on average", () =>
  withPeer(async ({ access, play }) => {
    const outcomeOf = async (bytes: number, count: number) => {
      play({ first: chunked + `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`.repeat(count) + "1\r\n1\r\n0\r\n\r\n" });
      const client = remoteClient(() => Promise.resolve(access));
      const got = await client.send({ method: "GET", path: "", signal: never }).then(({ body }) => body, (error: Error) => error.message);
      client.close();
      return got;
    };
    assert.equal(await outcomeOf(1, 3_000), 1);
    assert.match(String(await outcomeOf(1, 10_000)), /little but the frames of its chunks/);
    assert.equal(await outcomeOf(5, 20_000), 1);
    assert.match(String(await outcomeOf(4, 20_000)), /little but the frames of its chunks/);
  }));

test("an answer has a time, from the connection to its last byte; a stream has it for its head", () =>
  withPeer(async ({ access, play }) => {
    const client = remoteClient(() => Promise.resolve(access));
    for (const first of ["", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\n", `${head()}{`]) {
      play({ first, endless: "" });
      await assert.rejects(
        client.send({ method: "GET", path: "", signal: never, timeoutMs: 50 }),
        /no complete answer within 50 ms/,
        first,
      );
    }
    client.close();
  }));

test("a second answer that nobody asked for is no answer to the next request", () =>
  withPeer(async ({ access, play }) => {
    const client = remoteClient(() => Promise.resolve(access));
    const answer = (text: string) => `${head(`Content-Length: ${text.length}\r\n`)}${text}`;
    for (let round = 0; round < 3; round++) {
      play({ first: answer(`{"n":1}`) + answer(`{"n":2}`), endless: "" });
      assert.deepEqual((await client.send({ method: "GET", path: "", signal: never })).body, { n: 1 });
    }
    client.close();
  }));

test("a redirect is followed within the origin only, with method and body; a POST only by 307 and 308", async () => {
  const seen: string[] = [];
  const server = createHttpServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => body += chunk).on("end", () => {
      seen.push(`${request.method} ${request.url} ${body}`);
      const to = new URL(request.url ?? "", "http://x").searchParams.get("to"), status = Number(request.url?.slice(1, 4));
      if (to === null) return void response.end("{}");
      response.writeHead(status, { location: to.replace("HOST", String(request.headers.host)) }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outcomeOf = async (method: "GET" | "POST", path: string, access: Partial<RemoteAccess> = {}) => {
    const client = remoteClient(() => Promise.resolve({ server: new URL(origin), ...access }));
    const { status } = await client.send({ method, path, signal: never, ...(method === "POST" ? { body: 1 } : {}) });
    client.close();
    return [status, ...seen.splice(0)];
  };
  try {
    for (const to of ["/end", "HOST", "//HOST/end"]) {
      const absolute = to.replace("HOST", to === "HOST" ? "http://HOST/end" : "HOST");
      assert.deepEqual(await outcomeOf("POST", `/307?to=${absolute}`), [200, `POST /307?to=${absolute} 1`, "POST /end 1"]);
    }
    assert.deepEqual(await outcomeOf("POST", "/308?to=/end"), [200, "POST /308?to=/end 1", "POST /end 1"]);
    assert.deepEqual(await outcomeOf("GET", "/302?to=/end"), [200, "GET /302?to=/end ", "GET /end "]);
    assert.deepEqual(await outcomeOf("POST", "/302?to=/end"), [302, "POST /302?to=/end 1"]);
    for (const other of ["http://127.0.0.1:1/", "https://HOST/", "//127.0.0.2/", "http://u:p@HOST/", "file:///etc/passwd"]) {
      assert.deepEqual((await outcomeOf("POST", `/307?to=${other}`))[0], 307, other);
    }
    // Behind an address of the settings, the server's own name stands for that address.
    const named = await outcomeOf("POST", "/307?to=http://hook.example/end", { host: "hook.example" });
    assert.deepEqual([named[0], named[2]], [200, "POST /end 1"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("each certificate of a bundle is trusted for itself, as in Go: also the serving certificate, if name and dates are right", async () => {
  const ca = issue({ usage: "ca", commonName: "authority" });
  const serving = issue({ usage: "server", names: ["hook.example"] }, ca);
  const past = issue({ usage: "server", names: ["hook.example"], notBefore: Date.now() - 7_200_000, notAfter: Date.now() - 3_600_000 }, ca);
  const another = issue({ usage: "server", names: ["hook.example"] }, ca);
  const trusts = async (presented: typeof serving, bundle: string, serverName = "hook.example") => {
    const server = createTlsServer(presented, (_, response) => void response.end("{}"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const access = { server: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`), ca: bundle, serverName };
    const client = remoteClient(() => Promise.resolve(access));
    try {
      const send = () => client.send({ method: "GET", path: "", signal: never });
      return await send().then(send).then(() => true, () => false); // the second request may resume the session of the first
    } finally {
      client.close();
      server.closeAllConnections();
      server.close();
    }
  };
  assert.equal(await trusts(serving, serving.cert), true);
  assert.equal(await trusts(serving, another.cert + serving.cert), true);
  assert.equal(await trusts(serving, serving.cert, "other.example"), false);
  assert.equal(await trusts(serving, another.cert), false);
  assert.equal(await trusts(past, past.cert), false);
});
