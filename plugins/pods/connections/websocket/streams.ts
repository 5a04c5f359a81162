/** The streams of a process between a websocket with `v5.channel.k8s.io` and a kubelet, which carries them over SPDY. */
import {
  type Channel,
  type ConnectReply,
  type ConnectRequest,
  type PeerAccess,
  PeerError,
  type PeerResponse,
  type Peers,
  valueText,
} from "../../../../toolbox.ts";
import { bound } from "../../../../core/bound.ts";
import { abortable, type Clock, elapsedClock, within } from "../../../../core/async.ts";
import { dataHead, joined, openFrame, pingFrame, SpdyFrames } from "../../../../protocols/spdy/frames.ts";
import { ClientFrames, streamRules } from "../../../../protocols/websocket/client-frames.ts";
import { closeCode } from "../../../../protocols/websocket/server-frames.ts";
import { accepted, isSpdy, spdyOffer, streamsProtocol } from "./offer.ts";
import { outcomeOf, outcomeOfError, refusalOf } from "./outcome.ts";
import { Outbox } from "./outbox.ts";

/** Bytes of the Status of a kubelet: how a command ended, or why it could not begin. */
export const kubeletStatusBytesMax = bound(64 * 1024);
/** Bytes that a client may send before the kubelet has accepted the streams; then the client waits. */
export const streamsEarlyBytesMax = bound(64 * 1024);
/** Milliseconds in which a kubelet must accept the streams of a process. It gives its runtime two minutes. */
export const streamsAcceptedMs = bound(150_000);

/** What SPDY to the kubelet is spoken over: its protocol has the same streams, and a Status as the fifth. */
const kubeletProtocol = "v4.channel.k8s.io";
/** Channels of the messages. */
const channelOf = Object.freeze({ stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 });
/** The channel of messages that end another one, which their content names. */
const closeChannel = 255;

type Name = keyof typeof channelOf;

/** Which streams the client asks for. */
export interface Wished {
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
  readonly tty?: boolean;
}

type Asking = Pick<ConnectRequest, "peers" | "signal">;
interface KubeletUrl {
  readonly url: string;
  readonly access: PeerAccess;
}

/** The streams in the order in which they are opened. A terminal has no errors of its own, and a size. */
function namesOf({ stdin, stdout, stderr, tty }: Wished): readonly Name[] {
  const isThere: Readonly<Record<Name, boolean | undefined>> = {
    error: true,
    stdin,
    stdout,
    stderr: stderr === true && tty !== true,
    resize: tty,
  };
  return (["error", "stdin", "stdout", "stderr", "resize"] as const).filter((name) => isThere[name] === true);
}

/** Accepts the websocket, and reports every later failure in its channel of errors, as kube-apiserver does. `ended` gets the code of the outcome. */
export function processStreams(
  request: Asking & Pick<ConnectRequest, "headers">,
  to: KubeletUrl,
  wished: Wished,
  ended: (code: number) => void,
  clock: Pick<Clock, "after"> = elapsedClock,
): ConnectReply {
  const translation = new Translation(wished);
  void translation.run(request, to, clock).then((outcome) => ended(codeOf(outcome)));
  return {
    ...accepted(request, streamsProtocol),
    body: translation.outbox,
    channel: { send: (piece) => translation.send(piece), close: () => translation.close() },
  };
}

class Translation {
  readonly outbox = new Outbox();
  readonly #names: readonly Name[];
  readonly #frames: ClientFrames;
  readonly #left = new AbortController();
  #kubelet: Channel | undefined;
  /** The streams that the kubelet has accepted, and those that it has ended. */
  readonly #accepted = new Set<number>();
  readonly #ended = new Set<number>();
  #open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => this.#open = resolve);
  #isOpen = false;
  /** Frames for the kubelet that wait until it has accepted the streams. */
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  /** The channel of the message that has begun. */
  #channel: number | undefined;
  /** The Status of the kubelet. */
  #status: Uint8Array[] = [];
  #statusBytes = 0;

  constructor(wished: Wished) {
    this.#names = namesOf(wished);
    this.#frames = new ClientFrames(streamRules((part, isLast) => this.#take(part, isLast)));
    // Clients take the connection for established when the first message arrives.
    const { stdout, stderr } = wished;
    this.outbox.message(Uint8Array.of(stdout === true ? channelOf.stdout : stderr === true ? channelOf.stderr : channelOf.error));
  }

  /** What the client sends. */
  send(piece: Uint8Array): Promise<void> | undefined {
    const { pong, close } = this.#frames.read(piece);
    if (pong !== undefined) this.outbox.pong(pong);
    if (close !== undefined) {
      this.outbox.close(close);
      this.close();
      return undefined;
    }
    if (!this.#isOpen) return this.#earlyBytes > streamsEarlyBytesMax ? this.#opened : undefined;
    return this.#flush();
  }
  close(): void {
    this.#left.abort();
    this.#kubelet?.close();
    this.#begin();
  }

  /** Connects with the kubelet and carries its output until the end. Resolves with the outcome, of which the client learns; never rejects. */
  async run(request: Asking, to: KubeletUrl, clock: Pick<Clock, "after">): Promise<object> {
    const late = (): Error => new Error("timeout waiting for the streams of the kubelet");
    within(this.#opened, streamsAcceptedMs, late, clock).catch((error: unknown) => this.#left.abort(error));
    const signal = AbortSignal.any([request.signal, this.#left.signal]);
    let outcome: object;
    try {
      outcome = await abortable(this.#outcome(request.peers, to, signal), signal);
    } catch (error) {
      outcome = outcomeOfError(error);
    }
    const text = new TextEncoder().encode(valueText(outcome));
    this.outbox.message(joined([Uint8Array.of(channelOf.error), text]));
    this.outbox.close(closeCode.normal);
    this.#kubelet?.close();
    this.#begin();
    return outcome;
  }

  async #outcome(peers: Peers, { url, access }: KubeletUrl, signal: AbortSignal): Promise<object> {
    let response: PeerResponse;
    try {
      response = await peers.ask({ method: "POST", url, headers: spdyOffer([kubeletProtocol]), access, signal });
    } catch (error) {
      throw error instanceof PeerError ? new Error(`error sending request: Post "${url}": ${error.message}`, { cause: error }) : error;
    }
    const { channel } = response;
    if (channel === undefined) return refusalOf(await beginningOf(response.body, kubeletStatusBytesMax));
    this.#kubelet = channel;
    if (!isSpdy(response)) return refusalOf("another protocol");
    await channel.send(joined(this.#names.map((streamtype, at) => openFrame(idAt(at), { streamtype }))));
    return await this.#read(channel);
  }

  /** Reads the kubelet until all its streams have ended; resolves with the outcome. */
  async #read(channel: Channel): Promise<object> {
    let pings: Uint8Array[] = [];
    const frames = new SpdyFrames({
      data: (stream, content) => this.#output(stream, content),
      accepted: (stream) => {
        if (this.#isOwn(stream)) this.#accepted.add(stream);
        if (this.#accepted.size >= this.#names.length) this.#begin();
      },
      ended: (stream) => {
        if (this.#isOwn(stream)) this.#ended.add(stream);
      },
      ping: (id) => pings.push(pingFrame(id)),
    });
    for await (const piece of channel.received) {
      frames.read(piece);
      if (pings.length > 0) await channel.send(joined(pings));
      pings = [];
      if (this.#isOver) return outcomeOf(this.#statusText);
      await this.outbox.taken();
    }
    if (this.#statusBytes > 0) return outcomeOf(this.#statusText);
    throw new Error("the connection with the kubelet has ended");
  }

  #isOwn(stream: number): boolean {
    return this.#names[indexOf(stream)] !== undefined;
  }
  /** Whether the kubelet has nothing more to say: a process may end before its input. */
  get #isOver(): boolean {
    return this.#names.every((name, at) => name === "stdin" || name === "resize" || this.#ended.has(idAt(at)));
  }
  get #statusText(): string {
    return new TextDecoder().decode(joined(this.#status));
  }

  /** Data of the kubelet. That of streams which it does not send is dropped. */
  #output(stream: number, content: Uint8Array): void {
    const name = this.#names[indexOf(stream)];
    if (content.length === 0 || this.#ended.has(stream)) return;
    if (name === "stdout" || name === "stderr") this.outbox.message(joined([Uint8Array.of(channelOf[name]), content]));
    if (name !== "error") return;
    this.#statusBytes += content.length;
    if (this.#statusBytes > kubeletStatusBytesMax) {
      throw new Error(`the status of the kubelet is longer than ${kubeletStatusBytesMax} bytes`);
    }
    this.#status.push(content.slice());
  }

  /** A part of a message of the client. Messages to channels that are not there are dropped. */
  #take(part: Uint8Array, isLast: boolean): void {
    let content = part;
    if (this.#channel === undefined && part.length > 0) {
      this.#channel = part[0];
      content = part.subarray(1);
    }
    if (this.#channel === closeChannel) this.#closes(content);
    else if (content.length > 0) this.#toKubelet(this.#channel, content, false);
    if (isLast) this.#channel = undefined;
  }
  #closes(content: Uint8Array): void {
    if (content.length > 0) this.#toKubelet(content[0], new Uint8Array(0), true);
  }
  #toKubelet(channel: number | undefined, content: Uint8Array, isLast: boolean): void {
    const at = this.#names.findIndex((name) => channelOf[name] === channel && (name === "stdin" || name === "resize"));
    if (at < 0 || this.#ended.has(idAt(at))) return;
    this.#early.push(dataHead(idAt(at), content.length, isLast), content);
    this.#earlyBytes += content.length;
    if (isLast) this.#ended.add(idAt(at));
  }
  #flush(): Promise<void> | undefined {
    const frames = this.#early;
    if (frames.length === 0) return undefined;
    [this.#early, this.#earlyBytes] = [[], 0];
    return this.#kubelet?.send(joined(frames));
  }
  /** The streams are there, or will never be. */
  #begin(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    void this.#flush();
    this.#open();
  }
}

/** The code of an outcome. A kubelet writes its own into a Status: what is no code of an error counts as one of the server. */
function codeOf(outcome: { readonly code?: unknown }): number {
  const { code } = outcome;
  if (code === undefined) return 200; // a success, or an exit code
  return typeof code === "number" && Number.isInteger(code) && code >= 400 && code < 600 ? code : 500;
}

/** The id of a stream by its index: 1, 3, 5 and so on. */
function idAt(index: number): number {
  return 2 * index + 1;
}
function indexOf(id: number): number {
  return (id - 1) / 2;
}

/** The first bytes of a body, as text. */
async function beginningOf(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= bytesMax) break;
  }
  return new TextDecoder().decode(joined(parts.length === 0 ? [new Uint8Array(0)] : parts).subarray(0, bytesMax));
}
