/** Test control over HTTP: requests below `/test/` that have the token. */
import { once } from "../../core/async.ts";
import { noRouteError, StatusError, statusOf } from "../../core/status-error.ts";
import { valueText } from "../../core/value-text.ts";
import { type Exchange, header, type Reply } from "../../kernel/request/exchange.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import { listenFor, type TestListener } from "../listeners.ts";
import type { TestServer } from "../server.ts";
import { bodyBytesMax, bodyOf, queryOf } from "./body.ts";
import { Controlled, type ControlledFamily } from "./controlled.ts";
import { openapiOf } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations/mod.ts";
import { ControlToken } from "./token.ts";

/** The begin of the paths of test control. */
const prefix = "/test/";
const documentPath = "openapi.json";

/** A server whose control is served. */
export interface ServedControl {
  /** The port of the server, with its control below `/test/`. */
  readonly listener: TestListener;
  /** The secret of requests to the control. */
  readonly token: string;
  /** Closes the forks and the server. */
  close(): Promise<void>;
}

/** Listens for a server, and serves its control and those of its forks. Closing them closes the server. */
export async function serveControl(
  server: TestServer,
  { log, ...where }: { readonly log: Log; readonly host?: string; readonly port?: number },
): Promise<ServedControl> {
  const token = await ControlToken.make();
  const listen = (controlled: Controlled, more: typeof where) =>
    listenFor(controlled.server, { ...more, before: (exchange) => controlReply(exchange, controlled, token, log) });
  const { host } = where;
  const family: ControlledFamily = { forks: 0, listen: (controlled) => listen(controlled, host === undefined ? {} : { host }) };
  const root = new Controlled(server, family);
  return { listener: await listen(root, where), token: token.text, close: root.close };
}

/** Returns the reply to a request below `/test/`; undefined for one of the API. */
function controlReply(exchange: Exchange, controlled: Controlled, token: ControlToken, log: Log): Promise<Reply> | undefined {
  if (!exchange.url.startsWith(prefix)) return undefined;
  return answered(exchange, controlled, token).catch((error: unknown) => {
    if (error instanceof StatusError) return failure(error);
    log.error("a request of the test control failed", describe(error));
    return failure(new StatusError("InternalError", "the test control failed; the log has the error"));
  });
}

async function answered(exchange: Exchange, controlled: Controlled, token: ControlToken): Promise<Reply> {
  if (!await token.isIn(header(exchange, "authorization"))) {
    throw new StatusError("Unauthorized", "the header Authorization must be Bearer and the token that the program has printed");
  }
  const { method, url } = exchange, mark = url.indexOf("?"), path = url.slice(prefix.length, mark < 0 ? undefined : mark);
  if (path === documentPath && method === "GET") return jsonReply(200, document());
  const { operation, id } = operationOf(method, path);
  const query = queryOf(operation, mark < 0 ? "" : url.slice(mark + 1));
  const bytes = await exchange.body(operation.bodyBytesMax ?? bodyBytesMax);
  const body = bodyOf(operation, bytes, header(exchange, "content-type"));
  const answer = await operation.run(controlled, { id, body, query });
  if (operation.answer === "yaml") return reply(200, "application/yaml", String(answer));
  return jsonReply(operation.code ?? 200, answer);
}

/** The document does not change. */
const document = once(() => openapiOf(operations));

/** Finds the operation of a path. Throws if there is none. */
function operationOf(method: string, path: string): { readonly operation: Operation; readonly id: string } {
  const here = operations.flatMap((operation) => {
    const id = idIn(operation.path, path);
    return id === undefined ? [] : [{ operation, id }];
  });
  if (here.length === 0) throw noRouteError();
  const found = here.find(({ operation }) => operation.method === method);
  if (found !== undefined) return found;
  const methods = here.map(({ operation }) => operation.method).join(", ");
  throw new StatusError("MethodNotAllowed", `${prefix}${path} has the methods ${methods}`);
}

/** Returns what a path has in place of `{id}`, "" for a pattern without one; undefined if it does not match. */
function idIn(pattern: string, path: string): string | undefined {
  const wanted = pattern.split("/"), given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  let id = "";
  for (const [index, part] of wanted.entries()) {
    if (part === "{id}") id = given[index]!;
    else if (part !== given[index]) return undefined;
  }
  return id;
}

function failure(error: StatusError): Reply {
  const made = jsonReply(error.code, statusOf(error));
  return error.reason === "Unauthorized" ? { ...made, headers: { ...made.headers, "www-authenticate": "Bearer" } } : made;
}

function jsonReply(status: number, value: unknown): Reply {
  return reply(status, "application/json", `${valueText(value)}\n`);
}

function reply(status: number, type: string, body: string): Reply {
  return { status, headers: { "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" }, body };
}
