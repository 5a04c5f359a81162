/** Records requests of a test server with their answers. */
import { bound } from "../../core/bound.ts";
import { concat } from "../../kernel/objects/chunks.ts";
import { type Chunks, type Exchange, header, type Reply } from "../../kernel/request/exchange.ts";
import { type KnownRequest, matches, type RequestMatch } from "../faults/rule.ts";
import { writeRecording } from "../files/recordings.ts";
import { type CountedBytes, type Halvable, recordedByProcess } from "./recorded-bytes.ts";
import { contentOf, documentOf, eventsOf, type RecordedRequest } from "./recorded-request.ts";
import { sensitivityOf, urlWithoutSecrets } from "./without-secrets.ts";

/** Requests that are kept. The older half is dropped when there are more. */
const requestsMax = bound(20_000);
/** Bytes of one body that are kept. */
const bodyBytesMax = bound(1024 * 1024);
/** Bytes of all bodies of a recording that are kept. The older half of the requests is dropped when there are more. */
const recordingBytesMax = bound(256 * 1024 * 1024);

/** The requests that a server has answered since the recording began. */
export interface Recording {
  /** The requests that match, in the order in which they arrived. Default: all. */
  requests(match?: RequestMatch): readonly RecordedRequest[];
  /** All requests as text, for a file: a YAML document for each. */
  text(): string;
  /** Writes `text()` to a file, which `replay` of a test server reads. */
  save(path: string | URL): Promise<void>;
  /** Ends the recording. Its requests stay. */
  stop(): void;
}

/** A request under way, and what is known of it. */
interface Noted {
  readonly time: string;
  readonly method: string;
  readonly url: string;
  /** The content type of the body. */
  readonly type: string;
  readonly accept: string;
  known: KnownRequest | undefined;
  body: Uint8Array;
  status: number;
  answerType: string;
  readonly answer: Uint8Array[];
  /** A dropped request that is still under way keeps no more bytes. */
  isDropped: boolean;
}

type Handle = (exchange: Exchange, known: (request: KnownRequest) => void) => Promise<Reply>;

/** The recordings of a server. `recorded` handles a request, which those under way note. `together` bounds the recordings of several servers. */
export function recordings(
  now: () => number,
  bytesMax: number = recordingBytesMax,
  together = recordedByProcess,
): { record(): Recorder; recorded(exchange: Exchange, handle: Handle): Promise<Reply> } {
  const running = new Set<Recorder>();
  return {
    record() {
      const own = new Recorder({ now, bytesMax, stopped: () => void running.delete(own), count: (recorder) => together.add(recorder) });
      running.add(own);
      return own;
    },
    recorded(exchange, handle) {
      let inner = handle;
      for (const recorder of running) {
        const next = inner;
        inner = (each, known) => recorder.handle(each, next, known);
      }
      return inner(exchange, () => {});
    },
  };
}

interface RecorderNeeds {
  /** The time of the server. */
  readonly now: () => number;
  readonly bytesMax: number;
  /** Called when it is stopped. */
  readonly stopped: () => void;
  /** Called once, for where its bytes are counted. */
  readonly count: (recorder: Halvable) => CountedBytes;
}

/** One recording. */
export class Recorder implements Recording, Halvable {
  readonly #now: () => number;
  readonly #stopped: () => void;
  readonly #bytesMax: number;
  readonly #counted: CountedBytes;
  /** Bytes of bodies that are kept. */
  #bytes = 0;
  #noted: Noted[] = [];

  constructor({ now, bytesMax, stopped, count }: RecorderNeeds) {
    this.#now = now;
    this.#bytesMax = bytesMax;
    this.#stopped = stopped;
    this.#counted = count(this);
  }

  requests(match: RequestMatch = {}): readonly RecordedRequest[] {
    const matching = this.#noted.filter(({ known }) => known === undefined ? Object.keys(match).length === 0 : matches(match, known));
    return matching.map(recordedOf);
  }

  text(): string {
    return [...this.documents()].join("");
  }

  /** The parts of `text()`, one after the other: all of them together may be too long for a text. */
  *documents(): Generator<string> {
    for (const noted of this.#noted) yield documentOf(recordedOf(noted));
  }

  save(path: string | URL): Promise<void> {
    return writeRecording(path, this.documents());
  }

  stop(): void {
    this.#stopped();
  }

  /** Handles a request, and notes it. `known` is called when its user is known. */
  async handle(exchange: Exchange, handle: Handle, known: (request: KnownRequest) => void): Promise<Reply> {
    const { method, url } = exchange, time = new Date(this.#now()).toISOString(), type = header(exchange, "content-type");
    const accept = header(exchange, "accept");
    const noted: Noted = {
      ...{ time, method, url, type, accept, known: undefined, body: nothing, status: 0, answerType: "", answer: [] },
      isDropped: false,
    };
    this.#noted.push(noted);
    if (this.#noted.length > requestsMax) this.forgetHalf();
    const reply = await handle(
      withBody(exchange, async (limit) => {
        const bytes = await exchange.body(limit);
        if (noted.isDropped) return bytes;
        noted.body = bytes.slice(0, bodyBytesMax);
        this.#count(noted.body);
        return bytes;
      }),
      (request) => {
        noted.known = request;
        known(request);
      },
    );
    if (reply.isDropped === true) return reply;
    noted.status = reply.status;
    noted.answerType = String(reply.headers["content-type"] ?? "");
    return notingBody(reply, (bytes) => {
      if (noted.isDropped) return;
      noted.answer.push(bytes);
      this.#count(bytes);
    });
  }

  /** Counts bytes that were noted. */
  #count({ length }: Uint8Array): void {
    this.#bytes += length;
    while (this.#bytes > this.#bytesMax && this.#noted.length > 1) this.forgetHalf();
    this.#counted.set(this.#bytes);
  }

  forgetHalf(): void {
    for (const dropped of this.#noted.splice(0, Math.ceil(this.#noted.length / 2))) dropped.isDropped = true;
    this.#bytes = this.#noted.reduce((sum, { body, answer }) => sum + body.length + answer.reduce((all, { length }) => all + length, 0), 0);
    this.#counted.set(this.#bytes);
  }
}
const nothing = new Uint8Array();

/** The exchange with another body. No copy: one of a listener makes its headers and its signal when they are read. */
function withBody(exchange: Exchange, body: Exchange["body"]): Exchange {
  return new Proxy(exchange, {
    get(of, name) {
      if (name === "body") return body;
      const value = Reflect.get(of, name, of);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
}

function recordedOf({ time, method, url, type, accept, known, body, status, answerType, answer }: Noted): RecordedRequest {
  const whole = concat(answer);
  const sensitivity = sensitivityOf(method, url), verb = known?.info.verb ?? method.toLowerCase();
  // Without a type, clients of old send JSON.
  const sent = contentOf(body, type || "application/json", sensitivity);
  const isEvents = verb === "watch" && answerType.startsWith("application/json");
  const got = isEvents ? eventsOf(whole, sensitivity) : contentOf(whole, answerType, sensitivity);
  return {
    ...{ time, user: known?.user ?? "" },
    ...(known?.groups === undefined ? {} : { groups: known.groups }),
    ...{ verb, method, url: urlWithoutSecrets(url, sensitivity) },
    ...(sent === undefined ? {} : { body: sent }),
    ...(sent === undefined || isPlain(type) ? {} : { type }),
    ...(isPlain(accept) ? {} : { accept }),
    status,
    ...(got === undefined ? {} : { answer: got }),
  };
}

function isPlain(type: string): boolean {
  return type === "" || type === "application/json" || type === "*/*";
}

/** The reply, whose body is noted while it is sent. */
function notingBody(reply: Reply, keep: (bytes: Uint8Array) => void): Reply {
  const { body } = reply;
  if (typeof body === "string" || body instanceof Uint8Array) {
    keep(typeof body === "string" ? new TextEncoder().encode(body.slice(0, bodyBytesMax)) : body.slice(0, bodyBytesMax));
    return reply;
  }
  return { ...reply, body: notingChunks(body, keep) };
}

/** No generator: one that waits for its source returns only after that. */
function notingChunks(chunks: Chunks, keep: (bytes: Uint8Array) => void): Chunks {
  let length = 0;
  const note = (chunk: Uint8Array): void => {
    const kept = chunk.slice(0, Math.max(0, bodyBytesMax - length));
    if (kept.length > 0) keep(kept);
    length += kept.length;
  };
  return {
    [Symbol.asyncIterator]() {
      const iterator = chunks[Symbol.asyncIterator]();
      return {
        async next() {
          const result = await iterator.next();
          if (result.done !== true) note(result.value);
          return result;
        },
        return: async () => await iterator.return?.() ?? { done: true, value: undefined },
      };
    },
  };
}
