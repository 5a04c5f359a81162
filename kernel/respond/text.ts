/** Plain text replies. */
import type { Reply } from "../request/exchange.ts";

export function textReply(status: number, text: string): Reply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }, body: text };
}
/** The text of a body; undefined if it is longer than `bytesMax`. */
export async function plainText({ body }: Pick<Reply, "body">, bytesMax: number): Promise<string | undefined> {
  if (typeof body === "string") return body.length > bytesMax ? undefined : body;
  const decoder = new TextDecoder();
  if (body instanceof Uint8Array) return body.length > bytesMax ? undefined : decoder.decode(body);
  let text = "", bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
/** The reply for paths outside of all served groups. */
export function notFoundText(): Reply {
  return textReply(404, "404 page not found\n");
}
