/** Bodies of requests to the servers of tests. */
import type { IncomingMessage } from "node:http";

/** The whole text; undefined if the client disconnected before its end, for instance because its server was closed. */
export async function receivedBody(request: IncomingMessage): Promise<string | undefined> {
  let text = "";
  try {
    for await (const chunk of request) text += String(chunk);
  } catch {
    return undefined;
  }
  return text;
}
