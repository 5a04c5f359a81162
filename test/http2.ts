/** A small HTTP/2 client for tests with the interface of `httpsClient`. It opens a new connection after a GOAWAY. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from "node:http2";
import type { Ask, Client, Place } from "./https.ts";

const answerMsMax = 60_000, connectMsMax = 30_000;

export function http2Client(place: Place): Client {
  let current: Promise<ClientHttp2Session> | undefined;
  const all = new Set<ClientHttp2Session>();

  /** Rejects with the error of the connection if it cannot be opened. */
  function session(): Promise<ClientHttp2Session> {
    if (current !== undefined) return current;
    const opened = connect(`https://${place.host ?? "127.0.0.1"}:${place.port}`, { ca: place.ca, ...place.identity });
    all.add(opened);
    const opening = new Promise<ClientHttp2Session>((resolve, reject) => {
      const leave = () => {
        if (current === opening) current = undefined;
      };
      const late = setTimeout(() => opened.destroy(new Error(`no connection within ${connectMsMax} ms`)), connectMsMax);
      opened.once("connect", () => {
        clearTimeout(late);
        resolve(opened);
      }).on("goaway", leave);
      // Sent requests get the error themselves. Requests that wait for the connection were not sent.
      const failed = (why: string, cause?: unknown) => reject(Object.assign(new Error(why, { cause }), { refused: true }));
      opened.on("error", (error) => {
        leave();
        failed(`no connection: ${error.message}`, error);
      });
      opened.on("close", () => {
        clearTimeout(late);
        leave();
        all.delete(opened);
        failed("the connection ended before it was one");
      });
    });
    return current = opening;
  }

  async function send(
    path: string,
    { method = "GET", headers = {}, body, signal }: Ask,
  ): Promise<{ stream: ClientHttp2Stream; head: Head }> {
    const payload = body === undefined ? undefined : body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body);
    const stream = (await session()).request({
      ":method": method,
      ":path": path,
      ...(place.token === undefined ? {} : { authorization: `Bearer ${place.token}` }),
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    }, { endStream: payload === undefined, ...(signal === undefined ? {} : { signal }) });
    const head = await new Promise<Head>((resolve, reject) => {
      const ended = (cause?: unknown) => {
        const refused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
        const why = `${method} ${path}: the stream ended with ${stream.rstCode} before an answer`;
        reject(Object.assign(new Error(why, { cause }), { refused }));
      };
      stream.on("error", ended).on("close", () => ended());
      stream.on("response", resolve);
      stream.setTimeout(answerMsMax, () => stream.close(constants.NGHTTP2_CANCEL));
      if (payload !== undefined) stream.end(payload);
    });
    return { stream, head };
  }
  return {
    async ask(path, ask = {}) {
      const { stream, head } = await send(path, ask);
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw new Error(`the answer broke off with ${stream.rstCode}`);
      const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
      const text = new TextDecoder().decode(bytes);
      return { status: Number(head[":status"]), headers: head, bytes, text, json: () => JSON.parse(text) };
    },
    async stream(path, ask = {}) {
      const { stream, head } = await send(path, ask);
      stream.setTimeout(0); // As in https.ts.
      return { status: Number(head[":status"]), headers: head, chunks: stream };
    },
    close: () => all.forEach((each) => each.destroy()),
  };
}
type Head = IncomingHttpHeaders & IncomingHttpStatusHeader;
