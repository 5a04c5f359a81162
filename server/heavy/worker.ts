/** The heavy thread: handles requests like the main thread, with the main thread's store. */
import { systemClock } from "../../core/async.ts";
import { directReads } from "../../kernel/reads/direct-reads.ts";
import { remoteMetric } from "../../metrics/mod.ts";
import type { Plugin } from "../../core/plugin.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { type Backend, never } from "../../kernel/request-context.ts";
import { type Attributes, attributesReader } from "../../kernel/cache/index/attributes.ts";
import { choosePlugins } from "../config/choose-plugins.ts";
import { ConfigError } from "../config/parse.ts";
import type { Config } from "../config/settings.ts";
import { Deadline } from "../../kernel/request/deadline.ts";
import { deleteOptions } from "../../kernel/write/delete-options.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { replyOf } from "../../kernel/respond/answer.ts";
import { toStatusError } from "../../kernel/respond/failure.ts";
import { type ActiveConfig, activeConfigOf, type Appeared } from "../config/active-config.ts";
import { type Answers, type AuthorizedRequest, dispatch, requestContextOf } from "../../kernel/pipeline/dispatch.ts";
import { run } from "../../kernel/pipeline/run.ts";
import { loadModule } from "../config/load-module.ts";
import { takeWritten } from "../../kernel/objects/objects.ts";
import { remoteNotes } from "../../core/audit/notes.ts";
import { requestInfo } from "../../kernel/request/request-info.ts";
import { route } from "../../kernel/request/route.ts";
import { Warnings } from "../../kernel/request/warnings.ts";
import type { AdmissionConfiguration } from "../config/admission-configuration.ts";
import { errorOf, plainError } from "./errors.ts";
import { type MadeDocument, madeDocument } from "../aggregation/made-documents.ts";
import type { HeavyReply } from "../../kernel/request/hand-over.ts";
import type { Heap } from "./heap.ts";
import type { FromHeavy, JobMessage, Settled, ToHeavy } from "./messages.ts";
import { RemoteStore } from "./remote-store.ts";
import { bound } from "../../core/bound.ts";
import { heavyHeapBytesMax } from "./bounds.ts";

/** Bytes by which the heap of the heavy thread has grown since a collection after which garbage is collected, between requests. */
export const heavyGarbageBytesMax = bound(32 * 1024 * 1024);

type Post = (message: JobMessage, transfer?: readonly ArrayBuffer[]) => void;

/** Handles messages of the main thread. `builtIn`: the plugins that settings select from; `heap`: this thread's. */
export function heavyWorker(
  builtIn: readonly Plugin[],
  send: (message: FromHeavy, transfer?: readonly ArrayBuffer[]) => void,
  heap: Pick<Heap, "bytes" | "collect">,
): (message: ToHeavy) => void {
  let opening: Promise<Opened> | undefined, active: Promise<ActiveConfig> | undefined;
  /** The jobs in progress. */
  const jobs = new Map<number, { readonly aborted: AbortController; store?: RemoteStore }>();
  /** Heap after the last collection; 0 before the first one. */
  let keptBytes = 0;

  function activate(appeared: Appeared): void {
    active = opening?.then(({ config, plugins, admission }) => activeConfigOf(config, plugins, undefined, appeared, admission));
    active?.catch(() => {}); // An error is reported with each job.
  }

  async function runJob({ id }: { readonly id: number }, work: (opened: ActiveConfig, here: Here) => Promise<unknown>): Promise<void> {
    const job: { aborted: AbortController; store?: RemoteStore } = { aborted: new AbortController() };
    jobs.set(id, job);
    const { signal } = job.aborted, post: Post = (about, transfer) => send({ ...about, job: id }, transfer);
    let outcome: Settled;
    try {
      if (active === undefined) throw new Error("The thread of heavy requests is not open");
      const opened = await active;
      const store = job.store = new RemoteStore(post, signal, attributesOfWritten(opened));
      outcome = { ok: true, value: await work(opened, { post, store, signal }) };
    } catch (error) {
      outcome = { ok: false, error: plainError(error) };
    }
    jobs.delete(id);
    // Garbage of this request would be added to the memory of the next one.
    let heapBytes = heap.bytes();
    if (heapBytes > Math.min(keptBytes + heavyGarbageBytesMax, heavyHeapBytesMax)) {
      heap.collect();
      heapBytes = keptBytes = heap.bytes();
    }
    post({ tag: "done", outcome, heapBytes }, buffersOf(outcome));
  }

  return (message) => {
    switch (message.tag) {
      case "open":
        opening = open(message, builtIn);
        activate(message.appeared);
        return void active?.then(() => send({ tag: "opened" }), () => {});
      case "appeared":
        return activate(message.appeared);
      case "job":
        return void runJob(message, (opened, here) => jobOf(opened, message, here));
      case "document":
        return void runJob(message, () => Promise.resolve(madeDocument(message.work)));
      case "abort":
        return jobs.get(message.job)?.aborted.abort(errorOf(message.reason));
      case "answered":
        return jobs.get(message.job)?.store?.answered(message.id, message.answer);
    }
  };
}

/** What does not change while the thread lives. */
interface Opened {
  readonly config: Config;
  readonly plugins: readonly Plugin[];
  readonly admission: AdmissionConfiguration;
}

async function open({ config, admission }: ToHeavy & { tag: "open" }, builtIn: readonly Plugin[]): Promise<Opened> {
  const mistakes: string[] = [];
  const { plugins } = await choosePlugins(config, builtIn, loadModule, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return { config, plugins, admission };
}

/** The attributes of objects that were encoded here, by key and bytes; undefined if the bytes alone do not represent the object. */
function attributesOfWritten({ config, catalog }: ActiveConfig): (key: string, value: Uint8Array) => Attributes | undefined {
  const prefix = config["etcd-prefix"];
  return (key, value) => {
    const kind = catalog.stored.find(({ under }) => key.startsWith(`${prefix}/${under}/`)), object = takeWritten(value);
    if (kind === undefined || object === undefined || kind.applyDefaults(object) !== object) return undefined;
    return attributesReader(kind, catalog).of(object);
  };
}

interface Here {
  readonly post: Post;
  readonly store: RemoteStore;
  readonly signal: AbortSignal;
}

async function jobOf(
  { config, catalog }: ActiveConfig,
  { job, request, milliseconds }: ToHeavy & { tag: "job" },
  here: Here,
): Promise<unknown> {
  const { post, store, signal } = here;
  const { user, body, audit, ...rest } = request;
  const exchange: Exchange = { ...rest, body: () => body, peer: undefined, signal };
  const info = requestInfo(request.method, request.url)!; // The main thread has parsed the same.
  const report = (error: unknown, reference: string) => post({ tag: "report", error: plainError(error), reference });
  const notes = audit && remoteNotes(audit, (note) => post({ tag: "audited", note }));
  const warnings = new Warnings();
  try {
    // The main thread has authorized the request, and ends its record.
    return await run<unknown>({
      authenticate: () => user,
      record: () => notes && { notes, received() {}, decided() {}, end: (answer) => answer },
      impersonate: () => ({ user, exchange }),
      limit() {},
      authorize() {},
      async answer(acting, audit) {
        const authorized: AuthorizedRequest = {
          ...acting,
          info,
          where: route(info, request.method, catalog),
          audit,
          catalog,
          warnings,
          step: (what) => post({ tag: "step", what }),
          server: {
            backend: backendOf(config, here),
            requestTimeoutMs: milliseconds,
            access: store.access,
            authorize: (_user: UserInfo, { verb }) => store.authorize(verb),
            deprecated() {}, // Counted in the main thread.
            heavy: undefined,
            report,
          },
        };
        if (job === "answer") return await dispatch(authorized, plainReplies);
        using deadline = new Deadline(exchange, milliseconds);
        return await deleteOptions(requestContextOf(authorized, deadline));
      },
      refuse(error) {
        throw toStatusError(error, info, report);
      },
    });
  } finally {
    for (const text of warnings.texts) post({ tag: "warning", text });
  }
}

function backendOf(config: Config, { post, store }: Here): Backend {
  const now = () => performance.now();
  return {
    store,
    reads: directReads(store),
    prefix: config["etcd-prefix"],
    clock: { ...systemClock, random: Math.random },
    ending: () => never,
    kept: new Map(),
    minRequestTimeoutSeconds: config["min-request-timeout"],
    callWebhook: store.callWebhook,
    metric: remoteMetric((recording) => post({ tag: "recorded", recording })),
    meter: {
      now,
      watched: () => () => {},
      watchListed() {},
      received() {}, // Counted in the main thread.
      admitted(name, type, operation, rejected, since) {
        const ended = now();
        post({ tag: "admitted", step: [name, type, operation, rejected, ended - since] });
        return ended;
      },
      ruled: (outcome) => post({ tag: "ruled", outcome }),
    },
  };
}

/** Results as replies that can be sent to the main thread. */
const plainReplies: Answers<HeavyReply> = Object.freeze(
  {
    async of(call, result) {
      const { status, headers, body } = await replyOf(call, result);
      if (typeof body === "string") return { status, headers, chunks: [new TextEncoder().encode(body)], streamed: false };
      if (body instanceof Uint8Array) return { status, headers, chunks: [new Uint8Array(body)], streamed: false };
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(new Uint8Array(chunk));
      return { status, headers, chunks, streamed: true };
    },
    moved: (reply) => reply,
  } satisfies Answers<HeavyReply>,
);

/** Buffers of a reply or document: each is a separate copy, which is transferred. */
function buffersOf(outcome: Settled): ArrayBuffer[] {
  if (!outcome.ok || typeof outcome.value !== "object" || outcome.value === null || !("chunks" in outcome.value)) return [];
  return (outcome.value as HeavyReply | MadeDocument).chunks.map(({ buffer }) => buffer as ArrayBuffer); // New, and not shared memory.
}
