/** A server in this process, for recorded rules. */
import type { TestServer } from "../../testing.ts";
import type { Target } from "./through-the-api.ts";

export function targetOf(server: TestServer): Target {
  return {
    async send(method, path, body) {
      const init = body === undefined ? { method } : { method, body, headers: { "content-type": "application/json" } };
      const response = await server.handle(new Request(`http://localhost${path}`, init));
      return { status: response.status, body: await response.json(), warnings: warningsOf(response.headers.get("warning") ?? "") };
    },
  };
}

/** The texts of a Warning header: `299 - "first", 299 - "second"`. */
export function warningsOf(header: string): readonly string[] {
  return [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text!) as string);
}
