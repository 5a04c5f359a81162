import assert from "node:assert/strict";
import { createServer, type Server as NodeServer, type Socket } from "node:net";
import { test } from "node:test";
import { openClient } from "./client.ts";
import type { Scenario } from "./recording.ts";
import { replay } from "./replay.ts";
import { runAll, serverGone } from "./run.ts";

/** A server that sends fixed bytes for each request in sequence; `requests` are the received ones. */
async function scripted(
  respond: (request: string, socket: Socket) => string | undefined,
): Promise<{ url: string; requests: string[]; close: () => Promise<void> }> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server: NodeServer = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      const request = chunk.toString("latin1");
      requests.push(request);
      const answer = respond(request, socket);
      if (answer !== undefined) socket.write(answer, "latin1");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${address.port}`, requests, close };
}

const json = (body: string, status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const scenario = (rest: Partial<Scenario> & Pick<Scenario, "steps">): { area: string; scenario: Scenario } => ({
  area: "mine",
  scenario: { name: "one", namespace: false, answers: [], ...rest },
});

test("send() writes method, path and header names unchanged, and reuses a connection", async () => {
  const server = await scripted(() => json("{}"));
  const client = openClient(server.url);
  const headers = [["X-a", "1"], ["x-A", "2"]] as const;
  await client.send({ method: "FOO", path: "/a/../b%2f//c", headers, timeoutMs: 5000 });
  await client.send({ method: "get", path: "/", headers: [], timeoutMs: 5000 });
  client.close();
  await server.close();
  const host = new URL(server.url).host;
  assert.equal(server.requests[0], `FOO /a/../b%2f//c HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: identity\r\nX-a: 1\r\nx-A: 2\r\n\r\n`);
  assert.equal(server.requests.length, 2);
});

test("send() reads chunks, repeated headers and bodies that end with the connection", async () => {
  const server = await scripted((request, socket) => {
    if (request.startsWith("GET /chunks")) {
      return "HTTP/1.1 200 OK\r\nWarning: a\r\nwarning: b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    }
    if (request.startsWith("HEAD")) return "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n";
    socket.end("HTTP/1.0 404 Not Found\r\n\r\nto the end");
    return undefined;
  });
  const client = openClient(server.url);
  const ask = async (method: string, path: string) => await client.send({ method, path, headers: [], timeoutMs: 5000 });
  const chunks = await ask("GET", "/chunks");
  assert.deepEqual([new TextDecoder().decode(chunks.body), chunks.headers.get("warning")], ["abcde", ["a", "b"]]);
  assert.equal((await ask("HEAD", "/")).body.length, 0);
  const end = await ask("GET", "/end");
  assert.deepEqual([end.status, new TextDecoder().decode(end.body)], [404, "to the end"]);
  client.close();
  await server.close();
});

test("send() with lines stops at their number, and at the timeout with the lines received", async () => {
  const server = await scripted(() => 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n{"a":1\r\n4\r\n}\n\n{\r\n3\r\n"b"\r\n');
  const client = openClient(server.url);
  const lines = async (count: number, timeoutMs: number) =>
    new TextDecoder().decode((await client.send({ method: "GET", path: "/", headers: [], lines: count, timeoutMs })).body);
  assert.equal(await lines(1, 60_000), '{"a":1}\n');
  assert.equal(await lines(2, 50), '{"a":1}\n');
  client.close();
  await server.close();
});

test("send() fails if nothing is received in time or the connection breaks", async () => {
  const server = await scripted((request, socket) => {
    if (request.startsWith("GET /break")) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab");
    return undefined;
  });
  const client = openClient(server.url);
  await assert.rejects(client.send({ method: "GET", path: "/silent", headers: [], timeoutMs: 20 }), /no answer in time/);
  await assert.rejects(client.send({ method: "GET", path: "/break", headers: [], timeoutMs: 5000 }), /closed before/);
  client.close();
  await server.close();
});

test("replay() passes matching responses and reports others", async () => {
  const server = await scripted((request) => json(`{"path":"${request.split(" ")[1]}","metadata":{"resourceVersion":"7"}}`));
  const steps = [{ do: "GET /a?n=${id}", save: { rv: "metadata.resourceVersion" } }, {
    do: "PUT /b/${rv}",
    body: { x: "${rv}" },
    headers: { "User-Agent": null },
  }];
  const headers = { "content-type": "application/json" };
  const answers = [
    { status: 200, headers, json: { path: "/a?n=${id}", metadata: { resourceVersion: "<rv>" } } },
    { status: 200, headers, json: { path: "/b/<rv>", metadata: { resourceVersion: "<rv>" } } },
  ];
  const relate = [["$0.metadata.resourceVersion", "<", "$1.path"], ["$0.metadata.resourceVersion", ">=", "6"]] as const;
  const good = await replay(scenario({ steps, answers, relate, truths: [null, true] }), { url: server.url, tokens: { admin: "secret" } });
  assert.deepEqual(good.differences, []);
  assert.match(server.requests[0] ?? "", /Authorization: Bearer secret\r\n/);
  assert.match(server.requests[1] ?? "", /^PUT \/b\/7 (?!.*User-Agent).*\{"x": "7"\}$/s);
  const bad = await replay(
    scenario({ steps, answers: [{ ...answers[0], status: 201 }, ...answers.slice(1)], relate, truths: [true, true] }),
    { url: server.url, tokens: {} },
  );
  await server.close();
  assert.deepEqual(bad.differences, [
    { step: 0, text: ".status: want 201 got 200" },
    { step: undefined, text: 'relation ["$0.metadata.resourceVersion", "<", "$1.path"]: want true got null' },
  ]);
});

test("replay() repeats a request until its values match, and cleans up", async () => {
  const state = { asked: 0 };
  const server = await scripted((request) => json(`{"n":${request.startsWith("GET") ? ++state.asked : 0}}`));
  const answers = [{ status: 200, headers: { "content-type": "application/json" }, json: { n: 2 } }];
  const outcome = await replay(
    scenario({ steps: [{ do: "GET /", until: { n: 2, "status()": 200 } }], answers, cleanup: ["DELETE /${id}"] }),
    { url: server.url, tokens: {} },
  );
  await server.close();
  assert.deepEqual(outcome.differences, []);
  assert.match(server.requests.at(-1) ?? "", /^DELETE \/x[a-z]{6} /);
});

test("replay() uses a token and a header of one response in the next request, and compares headers and claims", async () => {
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const token = [part({ kid: "a", alg: "RS256" }), part({ iat: 100, nbf: 100, exp: 700, sub: "me" }), "x".repeat(40)].join(".");
  const server = await scripted((request) =>
    json(`{"data":{"token":"${btoa(token)}"},"uid":"${request.split(" ")[1]}"}`).replace(
      "200 OK",
      "200 OK\r\nX-Uid: u1\r\nX-Sent: a\r\nX-Sent: b",
    )
  );
  const steps = [
    {
      do: "GET /first",
      save: { tok: "base64(data.token)", uid: "header(x-UID)" },
      claims: "base64(data.token)",
      headersToo: ["X-Sent", "X-Not"],
    },
    { do: "GET /${uid}", headers: { Authorization: "Bearer ${tok}" }, until: { "header(X-Uid)": "${uid}" }, claims: "uid" },
  ];
  const said = { header: ["alg", "kid"], claims: { iat: "<time>", nbf: 0, exp: 600, sub: "me" } };
  const headers = { "content-type": "application/json" };
  const answers = [
    {
      status: 200,
      headers: { ...headers, "X-Sent": "a, b", "X-Not": null },
      claims: said,
      json: { data: { token: "<token>" }, uid: "/first" },
    },
    { status: 200, headers, claims: null, json: { data: { token: "<token>" }, uid: "/u1" } },
  ];
  const relate = [["$0.header(X-Uid)", "==", "$1.header(X-Uid)"], ["$0.base64(data.token)", "==", "$1.uid"], [
    "$7.uid",
    "==",
    null,
  ]] as const;
  const one = scenario({ steps, answers, relate, truths: [true, false, true] });
  const outcome = await replay(one, { url: server.url, tokens: { admin: "secret" } });
  await server.close();
  assert.deepEqual(outcome.differences, []);
  assert.ok(server.requests[1]?.includes(`Authorization: Bearer ${token}\r\n`));
});

test("runAll() reports a scenario that stopped its server, and continues with a new server", async () => {
  const started: string[][] = [];
  const start = async (flags: readonly string[]) => {
    started.push([...flags]);
    const state = { dead: false };
    const server = await scripted((request, socket) => {
      state.dead ||= request.startsWith("GET /kill");
      if (state.dead) socket.destroy();
      return state.dead ? undefined : json("{}");
    });
    return { url: server.url, tokens: { admin: "a" }, close: server.close };
  };
  const answers = [{ status: 200, headers: { "content-type": "application/json" }, json: {} }];
  const cases = ["/kill", "/fine"].map((path) => scenario({ name: path, steps: [{ do: `GET ${path}` }], answers, needs: ["gate:A"] }));
  const outcomes = await runAll(cases, start, { lanes: 1 });
  assert.deepEqual(outcomes.map(({ differences }) => differences.some(({ text }) => text === serverGone)), [true, false]);
  assert.deepEqual(outcomes[1]?.differences, []);
  assert.deepEqual(started, [["--feature-gates=A=true"], ["--feature-gates=A=true"]]);
});

test("a recorded watch that ended after its second before all events arrived is repeated with more time, and no other step is", async () => {
  const events = (count: number): string => {
    const text = Array.from({ length: count }, (_, index) => `{"type":"ADDED","n":"${index}"}\n`).join("");
    return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  };
  const server = await scripted((request) => events(request.includes("timeoutSeconds=20") ? 3 : request.startsWith("GET /few") ? 1 : 2));
  const recorded = (count: number) => ({
    status: 200,
    headers: { "content-type": "application/json" },
    events: Array.from({ length: count }, (_, index) => ({ type: "ADDED", n: `${index}` })),
  });
  const steps = ["GET /few?watch=1&timeoutSeconds=1", "GET /all?watch=1&timeoutSeconds=1&a=b", "GET /few?watch=1&timeoutSeconds=1"];
  const answers = [recorded(3), recorded(2), recorded(0)];
  const one = scenario({ steps: steps.map((line) => ({ do: line, events: 9 })), answers });
  const outcome = await replay(one, { url: server.url, tokens: {} });
  await server.close();
  assert.deepEqual(server.requests.map((each) => each.split(" ")[1]), [
    "/few?watch=1&timeoutSeconds=1",
    "/few?watch=1&timeoutSeconds=20",
    "/all?watch=1&timeoutSeconds=1&a=b",
    "/few?watch=1&timeoutSeconds=1",
  ]);
  // Additional events are a difference, with and without more time.
  assert.deepEqual(outcome.differences.map(({ step }) => step), [2]);
});
