// The streams of a process and of ports, between a websocket and a kubelet of the test's own.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectReply, PeerRequest, PeerResponse } from "../../../../toolbox.ts";
import { PeerError } from "../../../../toolbox.ts";
import { elapsedClock } from "../../../../core/async.ts";
import { dataHead, joined, pingFrame } from "../../../../protocols/spdy/frames.ts";
import { offersStreams, tunneledProtocols } from "./offer.ts";
import { kubeletStatusBytesMax, processStreams, streamsEarlyBytesMax, type Wished } from "./streams.ts";
import { tunnel } from "./tunnel.ts";

const key = "dGhlIHNhbXBsZSBub25jZQ==", url = "https://10.0.0.1:10250/exec/default/web/c?command=ls";
const offer = (protocol: string) => ({
  upgrade: "websocket",
  connection: "Upgrade",
  "sec-websocket-key": key,
  "sec-websocket-protocol": protocol,
});
const spdyHead = { upgrade: "SPDY/3.1", connection: "Upgrade", "x-stream-protocol-version": "v4.channel.k8s.io" };

/** A kubelet: its answer, what it was asked and sent, and what it says. */
class Kubelet {
  readonly asked: PeerRequest[] = [];
  sent = Buffer.alloc(0);
  isClosed = false;
  #pieces: Uint8Array[] = [];
  #wake: () => void = () => {};
  readonly #answer: (kubelet: Kubelet) => PeerResponse;

  constructor(answer: (kubelet: Kubelet) => PeerResponse = (kubelet) => kubelet.upgraded()) {
    this.#answer = answer;
  }
  readonly peers = {
    recoded: (body: AsyncIterable<Uint8Array>) => body,
    addressesOf: () => Promise.resolve([]),
    ask: (request: PeerRequest): Promise<PeerResponse> => {
      this.asked.push(request);
      return new Promise((resolve) => resolve(this.#answer(this)));
    },
  };
  upgraded(headers: PeerResponse["headers"] = spdyHead): PeerResponse {
    const channel = {
      received: this.#received(),
      send: (bytes: Uint8Array) => void (this.sent = Buffer.concat([this.sent, bytes])),
      close: () => {
        this.isClosed = true;
        this.#wake();
      },
    };
    return { status: 101, headers, body: channel.received, channel };
  }
  say(...frames: readonly Uint8Array[]): void {
    this.#pieces.push(joined(frames));
    this.#wake();
  }
  async *#received(): AsyncGenerator<Uint8Array> {
    while (!this.isClosed || this.#pieces.length > 0) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
const accept = (...ids: readonly number[]) => joined(ids.map((id) => Uint8Array.of(0x80, 3, 0, 2, 0, 0, 0, 4, 0, 0, 0, id)));
const data = (stream: number, text: string, isLast = false) => joined([dataHead(stream, text.length, isLast), Buffer.from(text)]);
const masked = (text: string, first = 0x82): Buffer => {
  const mask = [1, 2, 3, 4], head = text.length < 126 ? [first, 0x80 | text.length] : [first, 0xfe, text.length >> 8, text.length & 0xff];
  return Buffer.concat([Buffer.from([...head, ...mask]), Buffer.from(text, "latin1").map((byte, at) => byte ^ mask[at % 4]!)]);
};
/** The messages to the client until the reply ends: the channel and the text; the codes of other frames. */
async function messages({ body }: ConnectReply, seen: (string | number)[] = []): Promise<(string | number)[]> {
  for await (const frame of body as AsyncIterable<Uint8Array>) {
    const kind = frame[0]! & 0x0f, content = Buffer.from(frame.subarray(frame[1]! < 126 ? 2 : frame[1] === 126 ? 4 : 10));
    seen.push(kind === 2 ? `${content[0]} ${content.subarray(1)}` : kind === 8 ? content.readUint16BE() : `${kind} ${content}`);
  }
  return seen;
}
/** The codes of the outcomes so far. */
const codes: number[] = [];
function exec(kubelet: Kubelet, wished: Wished, clock: Parameters<typeof processStreams>[4] = elapsedClock): ConnectReply {
  const request = { headers: offer("v5.channel.k8s.io"), peers: kubelet.peers, signal: new AbortController().signal };
  return processStreams(request, { url, access: {} }, wished, (code) => codes.push(code), clock);
}
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 0));
}
/** The types of the streams that the kubelet was asked to open. */
const opened = ({ sent }: Kubelet): string[] =>
  [...sent.toString("latin1").matchAll(/streamtype\0\0\0.([a-z]+)/g)].map(([, name]) => name!);
const exit = (code: string) =>
  JSON.stringify({ status: "Failure", reason: "NonZeroExitCode", details: { causes: [{ reason: "ExitCode", message: code }] } });
const failure = (message: string) =>
  `3 ${
    JSON.stringify({
      metadata: {},
      status: "Failure",
      message: `Internal error occurred: ${message}`,
      reason: "InternalError",
      details: { causes: [{ message }] },
      code: 500,
    })
  }`;

test("only offers of protocols that kubelets do not speak are translated", () => {
  const asked = (protocol: string, mayUpgrade = true) => ({ headers: offer(protocol), mayUpgrade });
  assert.equal(offersStreams(asked("v4.channel.k8s.io, v5.channel.k8s.io")), true);
  assert.equal(offersStreams(asked("v4.channel.k8s.io")), false);
  assert.equal(offersStreams(asked("v5.channel.k8s.io", false)), false);
  assert.equal(offersStreams({ headers: { ...offer("v5.channel.k8s.io"), upgrade: "SPDY/3.1" }, mayUpgrade: true }), false);
  assert.deepEqual(tunneledProtocols(asked("SPDY/3.1+portforward.k8s.io, v4.channel.k8s.io,SPDY/3.1+x")), ["portforward.k8s.io"]);
});

test("a command's streams pass in both directions, and its end of input and exit code too", async () => {
  const kubelet = new Kubelet(), reply = exec(kubelet, { stdin: true, stdout: true, stderr: true });
  assert.deepEqual([reply.status, reply.headers?.["sec-websocket-protocol"], reply.headers?.["sec-websocket-accept"]], [
    101,
    "v5.channel.k8s.io",
    "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
  ]);
  const received = messages(reply);
  await until(() => kubelet.sent.length > 0);
  const [{ method, headers }] = kubelet.asked as [PeerRequest];
  assert.deepEqual([method, headers["upgrade"], headers["x-stream-protocol-version"]], ["POST", "SPDY/3.1", ["v4.channel.k8s.io"]]);
  assert.deepEqual(opened(kubelet), ["error", "stdin", "stdout", "stderr"]);
  // Data before the streams are accepted would be dropped by the kubelet.
  const before = kubelet.sent.length;
  assert.equal(reply.channel!.send(Buffer.concat([masked("\0early"), masked("\x01no input"), masked("ping", 0x89)])), undefined);
  kubelet.say(accept(1, 3, 5));
  await until(() => true);
  assert.equal(kubelet.sent.length, before);
  kubelet.say(accept(7), pingFrame(2));
  await until(() => kubelet.sent.length > before + 13);
  void reply.channel!.send(masked("\0la", 0x02));
  void reply.channel!.send(Buffer.concat([masked("te", 0x80), masked("\xff\0"), masked("\0after the end")]));
  const expected = [data(3, "early"), pingFrame(2), data(3, "la"), data(3, "te"), dataHead(3, 0, true)];
  await until(() => kubelet.sent.length >= before + joined(expected).length);
  assert.deepEqual(kubelet.sent.subarray(before), Buffer.from(joined(expected)));
  kubelet.say(data(5, "out"), data(7, "err", true), data(1, exit("3")), data(9, "no stream"));
  kubelet.say(data(5, "", true), data(5, "late"), Uint8Array.of(0x80, 3, 0, 3, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 5));
  const ended =
    '{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: command terminated with exit code 3",' +
    '"reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}';
  assert.deepEqual((await received).toSorted(), ["1 ", "1 out", "10 ping", "2 err", `3 ${ended}`, 1000].toSorted());
  await until(() => codes.at(-1) === 200);
  assert.equal(kubelet.isClosed, true);
});

test("a terminal has a size and no errors; the first message is on the first channel of the kubelet's", async () => {
  const kubelet = new Kubelet(), reply = exec(kubelet, { stdout: true, stderr: true, tty: true }), received = messages(reply);
  await until(() => kubelet.sent.length > 0);
  assert.deepEqual(opened(kubelet), ["error", "stdout", "resize"]);
  const before = kubelet.sent.length;
  kubelet.say(accept(1, 3, 5));
  await until(() => true);
  void reply.channel!.send(masked('\x04{"Width":80}'));
  await until(() => kubelet.sent.length > before);
  assert.deepEqual(kubelet.sent.subarray(before), Buffer.from(data(5, '{"Width":80}')));
  kubelet.say(data(3, "", true), data(1, "", true));
  assert.deepEqual(await received, ["1 ", '3 {"metadata":{},"status":"Success"}', 1000]);
  const first = async (wished: Wished) => (await messages(exec(new Kubelet(() => new Kubelet().upgraded({})), wished)))[0];
  assert.deepEqual([await first({ stderr: true }), await first({ stdin: true })], ["2 ", "3 "]);
});

test("what goes wrong at the kubelet is an error on the channel of errors", async () => {
  const plain = (status: number, text: string) => () => ({
    status,
    headers: {},
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  });
  const status = JSON.stringify({ kind: "Status", status: "Failure", message: "no", code: 403 });
  const cases: readonly (readonly [(kubelet: Kubelet) => PeerResponse, string])[] = [
    [() => {
      throw new PeerError("dial tcp 10.0.0.1:10250: connect: connection refused", { isDial: true });
    }, failure(`error sending request: Post "${url}": dial tcp 10.0.0.1:10250: connect: connection refused`)],
    [plain(404, "container not found\n"), failure("unable to upgrade connection: container not found")],
    [plain(403, status), `3 ${status}`],
    [plain(500, "x".repeat(kubeletStatusBytesMax + 1)), failure(`unable to upgrade connection: ${"x".repeat(kubeletStatusBytesMax)}`)],
    [
      (kubelet) => (kubelet.say(Uint8Array.of(0x80, 2, 0, 2, 0, 0, 0, 4)), kubelet.upgraded()),
      failure("invalid SPDY frame: version 2, type 2"),
    ],
    [
      (kubelet) => (kubelet.say(data(1, "{}", true), data(3, "", true)), kubelet.upgraded()),
      failure("error stream protocol error: unknown error"),
    ],
    [
      (kubelet) => (kubelet.say(data(1, "no", true), data(3, "", true)), kubelet.upgraded()),
      failure('error stream protocol error: invalid JSON in "no"'),
    ],
    [
      (kubelet) => (kubelet.say(data(1, exit("256"), true), data(3, "", true)), kubelet.upgraded()),
      failure('error stream protocol error: invalid exit code value "256"'),
    ],
    [
      (kubelet) => (kubelet.say(data(1, '{"status":"Failure","message":"gone"}', true), data(3, "", true)), kubelet.upgraded()),
      failure("gone"),
    ],
    [
      (kubelet) => (kubelet.say(data(1, "x".repeat(kubeletStatusBytesMax + 1))), kubelet.upgraded()),
      failure(`the status of the kubelet is longer than ${kubeletStatusBytesMax} bytes`),
    ],
    [(kubelet) => (kubelet.isClosed = true, kubelet.upgraded()), failure("the connection with the kubelet has ended")],
  ];
  for (const [answer, expected] of cases) {
    assert.deepEqual(await messages(exec(new Kubelet(answer), { stdout: true })), ["1 ", expected, 1000]);
    await until(() => codes.at(-1) === (expected.includes("403") ? 403 : 500));
  }
});

test("a client waits while the kubelet has not accepted its streams, which has a bound in time", async () => {
  let late = (): void => {};
  const kubelet = new Kubelet(), clock = { after: (_ms: number, run: () => void) => (late = run, () => {}) };
  const reply = exec(kubelet, { stdin: true }, clock), received = messages(reply);
  await until(() => kubelet.sent.length > 0);
  for (let sent = 0; sent < 2; sent++) assert.equal(reply.channel!.send(masked("\0" + "x".repeat(streamsEarlyBytesMax / 2))), undefined);
  const wait = reply.channel!.send(masked("\0x"));
  assert.ok(wait instanceof Promise);
  late();
  await wait;
  assert.deepEqual((await received).at(1), failure("timeout waiting for the streams of the kubelet"));
});

test("the kubelet's connection ends with the client's, and waits while nobody takes its output", async () => {
  const kubelet = new Kubelet(),
    reply = exec(kubelet, { stdout: true }),
    taken = (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  await taken.next();
  kubelet.say(accept(1, 3), data(3, "a"));
  await taken.next();
  kubelet.say(data(3, "b"));
  kubelet.say(data(3, "c"));
  void reply.channel!.send(masked("\x03\xe8", 0x88));
  assert.equal(kubelet.isClosed, true);
  await taken.return?.();
  const other = new Kubelet(), left = exec(other, { stdout: true });
  await until(() => other.sent.length > 0);
  left.channel!.close();
  assert.equal(other.isClosed, true);
});

test("ports: the bytes of SPDY pass within the messages; a refusal of the kubelet is the reply", async () => {
  const request = (kubelet: Kubelet) => ({
    ...{ options: {}, method: "GET", url: "/", path: "/", namespace: "default", name: "web", rest: "", body: undefined, mayUpgrade: true },
    ...{ remote: "127.0.0.1:1", signal: new AbortController().signal, peers: kubelet.peers, authorize: () => Promise.resolve() },
    headers: offer("SPDY/3.1+portforward.k8s.io"),
  });
  const to = { origin: "https://10.0.0.1:10250", path: "/portForward/default/web", access: {}, needsUpgrade: true } as const;
  const answers: number[] = [], answered = (code: number) => void answers.push(code);
  const kubelet = new Kubelet((each) => each.upgraded({ ...spdyHead, "x-stream-protocol-version": "portforward.k8s.io" }));
  const reply = await tunnel(request(kubelet), to, answered), [{ method, headers }] = kubelet.asked as [PeerRequest];
  assert.deepEqual([method, headers["upgrade"], headers["x-stream-protocol-version"], headers["sec-websocket-key"]], [
    ...["POST", "SPDY/3.1", ["portforward.k8s.io"]],
    undefined,
  ]);
  assert.deepEqual([reply.status, reply.headers?.["sec-websocket-protocol"]], [101, "SPDY/3.1+portforward.k8s.io"]);
  const seen: (string | number)[] = [], received = messages(reply, seen);
  void reply.channel!.send(Buffer.concat([masked("one", 0x02), masked("p", 0x89), masked("two", 0x80)]));
  assert.equal(kubelet.sent.toString(), "onetwo");
  kubelet.say(Buffer.from("bytes"));
  await until(() => seen.length === 2);
  void reply.channel!.send(masked("\x03\xe8", 0x88));
  assert.deepEqual((await received).toSorted(), ["98 ytes", "10 p", 1000].toSorted());
  assert.equal(kubelet.isClosed, true);
  const refused = await tunnel(request(new Kubelet(() => ({ status: 404, headers: {}, body: (async function* () {})() }))), to, answered);
  assert.deepEqual([refused.status, refused.channel], [404, undefined]);
  await assert.rejects(
    tunnel(request(new Kubelet((each) => each.upgraded({ upgrade: "websocket" }))), to, answered),
    /missing upgrade headers in response/,
  );
  assert.deepEqual(answers, [101, 404, 500]);
});
