/** Bodies of requests to the servers of tests. */
import type { IncomingMessage } from "node:http";

/** The whole text; undefined if the client has gone before its end, as a server does that is closed. */
export async function receivedBody(request: IncomingMessage): Promise<string | undefined> {
  let text = "";
  try {
    for await (const chunk of request) text += String(chunk);
  } catch {
    return undefined;
  }
  return text;
}
