/** One request of a caller in the process: the same steps as a client's from its authorization on, with values in place of encoded replies. */
import { pause, systemClock } from "../../core/async.ts";
import type { ApiRequest } from "../../core/client/transport.ts";
import type { Json } from "../../core/json.ts";
import { StatusError } from "../../core/status-error.ts";
import { goJson } from "../../core/tree/json-text.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { bound } from "../../core/bound.ts";
import { AuditFailure, type AuditRecord } from "../../kernel/access/audit/mod.ts";
import { dispatch } from "../../kernel/pipeline/dispatch.ts";
import { type Acting, type Entry, type RequestRecord, run } from "../../kernel/pipeline/run.ts";
import type { AuditNotes } from "../../core/audit/notes.ts";
import type { Chunks, Exchange } from "../../kernel/request/exchange.ts";
import { type RequestInfo, requestInfo } from "../../kernel/request/request-info.ts";
import { route } from "../../kernel/request/route.ts";
import { Warnings } from "../../kernel/request/warnings.ts";
import { never } from "../../kernel/request-context.ts";
import { noteFailure } from "../../kernel/respond/audited.ts";
import { isBug, toStatusError } from "../../kernel/respond/failure.ts";
import type { Server } from "../../kernel/server.ts";
import { elsewhereAnswer, type LocalAnswer } from "./elsewhere-answer.ts";
import type { SharedValues } from "./shared-values.ts";
import { valueOf, valueOfReply } from "./values.ts";

/** Milliseconds between two attempts of a controller that waits for its rights. */
const localAuthorizationRetryMs = bound(20);

/** Who calls. */
export interface LocalCaller {
  readonly user: UserInfo;
  /** The user of GET requests. */
  readonly reader: UserInfo;
  /** User agent. */
  readonly manager: string;
  readonly patience: Patience;
}

/**
 * The time during which a forbidden call is retried: all rights of a user are written at the same time, so the first allowed call ends it.
 */
export class Patience {
  readonly #until: number;
  readonly #signal: AbortSignal;
  #isOver = false;

  /** `milliseconds`: from now; `signal` ends it when it aborts. */
  constructor(milliseconds: number, signal: AbortSignal) {
    this.#until = performance.now() + milliseconds;
    this.#signal = signal;
  }
  end(): void {
    this.#isOver = true;
  }
  /** Waits for the next attempt; false if there is none. */
  async next(): Promise<boolean> {
    if (this.#isOver || this.#signal.aborted || performance.now() >= this.#until) return false;
    await pause(localAuthorizationRetryMs, this.#signal, systemClock);
    return true;
  }
}

/** Sends a request. Rejects with the StatusError of one that fails. */
export async function localCall(server: Server, caller: LocalCaller, request: ApiRequest, shared: SharedValues): Promise<LocalAnswer> {
  return await run(new LocalEntry(server, caller, request, shared));
}

/** The parts of the steps that differ for a call from inside the process. */
class LocalEntry implements Entry<LocalAnswer> {
  readonly #server: Server;
  readonly #caller: LocalCaller;
  readonly #shared: SharedValues;
  readonly #exchange: Exchange;
  readonly #info: RequestInfo;
  readonly #auditId = crypto.randomUUID();
  #record: AuditRecord | undefined;

  constructor(server: Server, caller: LocalCaller, request: ApiRequest, shared: SharedValues) {
    this.#server = server;
    this.#caller = caller;
    this.#shared = shared;
    this.#exchange = exchangeOf(request, caller.manager);
    this.#info = requestInfo(request.method, request.url)!; // Our own URLs are well-formed.
    server.countOwnRequest(request.method, this.#info);
  }

  authenticate(): UserInfo {
    const { user, reader } = this.#caller;
    return this.#exchange.method === "GET" ? reader : user;
  }

  record(user: UserInfo): RequestRecord<LocalAnswer> | undefined {
    const { audit } = this.#server;
    const record = this.#record = audit?.begin(this.#exchange, this.#info, user, this.#auditId, audit.now());
    return record &&
      { notes: record.notes, received: () => record.received(), decided: record.decided, end: (answer) => ended(record, answer) };
  }

  impersonate(user: UserInfo): Acting {
    return { user, exchange: this.#exchange };
  }

  /** The server's own work is not limited. */
  limit(): void {}

  async authorize(user: UserInfo, decided: AuditRecord["decided"] | undefined): Promise<void> {
    await authorizeLocal(this.#server, this.#caller, user, this.#info, decided);
  }

  async answer(acting: Acting, audit: AuditNotes | undefined): Promise<LocalAnswer> {
    const server = this.#server, info = this.#info, { catalog } = server, { group, version, resource } = info;
    const elsewhere = server.elsewhere?.(acting.user, this.#exchange, info, this.#auditId);
    if (elsewhere !== undefined) return await elsewhereAnswer(await elsewhere, info.verb);
    const endpoint = catalog.endpoint(group, version, resource) ?? catalog.unserved(group, version, resource);
    const where = route(info, this.#exchange.method, catalog, endpoint);
    return await dispatch<LocalAnswer>({ ...acting, info, where, audit, catalog, server, warnings: new Warnings(), step() {} }, {
      of: async (call, result) =>
        result.tag === "feed"
          ? { status: 200, frames: result.frames }
          : { status: result.tag === "list" ? 200 : result.status, value: await valueOf(call, result, this.#shared) },
      moved: (reply) => ({ status: reply.status, value: valueOfReply(reply) }),
    });
  }

  async refuse(error: unknown): Promise<never> {
    const failure = toStatusError(error, this.#info, this.#server.report), record = this.#record;
    if (record !== undefined && !(error instanceof AuditFailure)) {
      noteFailure(record.notes, failure);
      const reply = { status: failure.code, headers: {}, body: "" };
      await (isBug(error) ? record.panicked(failure.message, reply) : record.end(reply));
    }
    throw failure;
  }
}

/** Rejects unless the user may do this, after the patience of the caller. */
export async function authorizeLocal(
  server: Pick<Server, "authorize">,
  { patience, user: writer }: LocalCaller,
  user: UserInfo,
  info: RequestInfo,
  decided?: AuditRecord["decided"],
): Promise<void> {
  for (;;) {
    try {
      await server.authorize(user, info, decided);
      if (user === writer) patience.end();
      return;
    } catch (error) {
      const isRefused = error instanceof StatusError && error.reason === "Forbidden";
      if (!isRefused || !await patience.next()) throw error;
    }
  }
}

/** Ends the record of a call; that of a watch with its last frame. */
async function ended(record: AuditRecord, answer: LocalAnswer): Promise<LocalAnswer> {
  const { status } = answer;
  if ("value" in answer) {
    await record.end({ status, headers: {}, body: "" });
    return answer;
  }
  const { body } = await record.end({ status, headers: {}, body: answer.frames });
  return { status, frames: body as Chunks }; // chunks as before
}

/** The exchange of a request in the process. */
export function exchangeOf(request: ApiRequest, manager: string): Exchange {
  const { method, url, body, signal = never, watchScope = "everything", accept = json, contentType = json } = request;
  const bytes = body === undefined ? new Uint8Array() : new TextEncoder().encode(goJson(body as Json));
  return {
    method,
    url,
    headers: { accept, "content-type": contentType, "user-agent": manager },
    body: () => bytes,
    stream: () => bytes.length === 0 ? undefined : onePiece(bytes),
    peer: undefined,
    remote: "local",
    protocol: "HTTP/1.1",
    watchScope,
    signal,
  };
}
async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
const json = "application/json";
