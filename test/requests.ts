/** Requests to a server in the test process, as a client sends them. */
import assert from "node:assert/strict";
import type { TestServer } from "../testing.ts";

/** The part of a server that is needed. */
export type Handles = Pick<TestServer, "handle">;

export interface SendOptions {
  /** Content type of the body. Default: a merge patch for PATCH, else JSON. */
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As in `TestServer.handle`. */
  readonly user?: Parameters<TestServer["handle"]>[1];
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The parsed JSON; throws for other bodies. */
  readonly body: any;
}

/**
 * Sends a request. An object is sent as JSON, texts and bytes as they are.
 *
 * @param options a string is the content type
 */
export function send(server: Handles, method: string, path: string, body?: unknown, options: string | SendOptions = {}): Promise<Response> {
  const { type, accept, headers, user, signal } = typeof options === "string" ? { type: options } as SendOptions : options;
  const content = type ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json");
  const request = new Request(`https://test${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": content }),
      ...(accept === undefined ? {} : { accept }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" || body instanceof Uint8Array ? body as BodyInit : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return server.handle(request, user);
}

/** Sends a request and reads the whole answer. */
export async function ask(server: Handles, method: string, path: string, body?: unknown, options?: string | SendOptions): Promise<Answer> {
  const response = await send(server, method, path, body, options);
  const bytes = new Uint8Array(await response.arrayBuffer()), text = new TextDecoder().decode(bytes);
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    get body() {
      return JSON.parse(text);
    },
  };
}

/** The parsed body of an answer that must be a success. */
export async function done(server: Handles, method: string, path: string, body?: unknown, options?: string | SendOptions): Promise<any> {
  const { status, text } = await ask(server, method, path, body, options);
  assert.ok(status >= 200 && status < 300, `${method} ${path}: ${status} ${text}`);
  return JSON.parse(text);
}

/** Code and message of an error. */
export async function refused(
  server: Handles,
  method: string,
  path: string,
  body?: unknown,
  options?: string | SendOptions,
): Promise<readonly [code: number, message: string]> {
  const { code, message } = (await ask(server, method, path, body, options)).body;
  return [code, message];
}

/** The text of a path. */
export async function textOf(server: Handles, path: string, options?: SendOptions): Promise<string> {
  return (await ask(server, "GET", path, undefined, options)).text;
}
