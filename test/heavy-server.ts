/** A server with a heavy thread, and requests to it without a network. */
import { withDefaults } from "../server/config/parse.ts";
import { handle } from "../kernel/handle.ts";
import { startHeavyThread } from "../server/heavy/thread.ts";
import { silentLog } from "../kernel/observe/log.ts";
import type { Exchange } from "../kernel/request/exchange.ts";
import { openServer } from "../server/startup/open-server.ts";
import type { Server } from "../kernel/server.ts";
import { plugins } from "../plugins/mod.ts";

/** The status of the response to a request with a JSON body. */
export async function statusOf(server: Server, method: string, url: string, body?: object): Promise<number> {
  return (await responseOf(server, method, url, body)).status;
}

/** The response to a request with a JSON body. */
export async function responseOf(
  server: Server,
  method: string,
  url: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): ReturnType<typeof handle> {
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const exchange: Exchange = {
    method,
    url,
    headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json", "user-agent": "test", ...headers },
    body: () => Promise.resolve(bytes),
    peer: undefined,
    remote: "",
    protocol: "HTTP/1.1",
    signal: new AbortController().signal,
  };
  return await handle(exchange, server);
}

/** A server, and the number of its requests that the heavy thread has run. `settings`: by flag name. */
export async function withHeavyThread(
  use: (server: Server, jobs: () => number) => Promise<void>,
  settings: Parameters<typeof withDefaults>[0] = {},
): Promise<void> {
  let jobs = 0;
  const opened = await openServer({
    config: withDefaults({ "data-dir": ":memory:", ...settings }),
    plugins,
    log: silentLog,
    startHeavy(...to) {
      const { post, end } = startHeavyThread(...to);
      return {
        post(message, transfer) {
          if (message.tag === "job") jobs++;
          post(message, transfer);
        },
        end,
      };
    },
  });
  try {
    await opened.bootstrapped;
    const admin = { name: "admin", groups: ["system:masters"] };
    await use(Object.create(opened.server, { authenticate: { value: () => Promise.resolve(admin) } }), () => jobs);
  } finally {
    await opened.close();
  }
}
