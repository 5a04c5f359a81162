/** A client for several servers, as behind a Service: it uses them in turn, and the next one if a connection breaks. */
import type { Answer, Client } from "../https.ts";
import { pause } from "./actors.ts";

/** Counters of the client. */
export interface Met {
  requests: number;
  /** Requests that were sent again, because no server had processed them or they are safe to repeat. */
  retries: number;
  /** Writes whose connection broke after they were sent. */
  lost: number;
  /** Responses that clients must not get while one of several servers is down. */
  readonly failures: string[];
}
export function nothingMet(): Met {
  return { requests: 0, retries: 0, lost: 0, failures: [] };
}

const triesMax = 1000, betweenTriesMs = 5;

/** `servers`: the current ones, including unavailable ones. */
export function balanced(servers: () => readonly Client[], met: Met): Client {
  let turn = 0;
  async function inTurn<T>(mayRepeat: boolean, attempt: (server: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
    met.requests++;
    for (let tries = 1;; tries++) {
      const all = servers();
      try {
        return await attempt(all[turn++ % all.length]!);
      } catch (error) {
        // The caller has aborted: not a broken connection.
        if (signal?.aborted === true) throw error;
        if (!mayRepeat && !isUntouched(error)) {
          met.lost++;
          throw error;
        }
        if (tries === triesMax) throw error;
        met.retries++;
        await pause(betweenTriesMs);
      }
    }
  }
  function judge(what: string, { status, text }: Pick<Answer, "status" | "text">): void {
    if (status >= 500 || status === 429) met.failures.push(`${what}: ${status} ${text}`);
  }
  return {
    async ask(path, ask = {}) {
      const { method = "GET" } = ask;
      const answer = await inTurn(method === "GET", (server) => server.ask(path, ask));
      judge(`${method} ${path}`, answer);
      return answer;
    },
    async stream(path, ask = {}) {
      const answer = await inTurn(true, (server) => server.stream(path, ask), ask.signal);
      judge(path, { status: answer.status, text: "" });
      return answer;
    },
    close: () => {},
  };
}

/** Whether no server has processed the request: there was no connection, or it ended with a GOAWAY. */
function isUntouched(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return untouchedCodes.has(code) || ("refused" in error && error.refused === true);
}
const untouchedCodes: ReadonlySet<string> = new Set(["ECONNREFUSED", "ERR_HTTP2_GOAWAY_SESSION", "ERR_HTTP2_INVALID_SESSION"]);
