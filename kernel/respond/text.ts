/** Replies that are plain text. */
import type { Reply } from "../request/exchange.ts";

export function textReply(status: number, text: string): Reply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }, body: text };
}
/** Paths outside of every group that is served. */
export function notFoundText(): Reply {
  return textReply(404, "404 page not found\n");
}
