/** Streams of an HTTP/2 client on one connection. */
import { http2Ask, http2Session } from "../../server/listen/testing/clients.ts";
import { path } from "./served.ts";

/** Whether a request is answered while `watches` watches of that duration are open on its connection. */
export async function isAnsweredBeside(
  watches: number,
  lastingSeconds: number,
  { port, ca, token }: { readonly port: number; readonly ca: string; readonly token: string },
): Promise<boolean> {
  const session = await http2Session({ port }, { ca: { cert: ca, key: "" } });
  try {
    const told: string[] = [];
    const ask = async (name: string, path: string) => {
      const { status } = await http2Ask(session, { path, headers: { authorization: `Bearer ${token}` } });
      if (status !== 200) throw new Error(`${path} answered ${status}`);
      told.push(name);
    };
    await ask("settled", "/livez/ping"); // The client has received the settings of the connection.
    for (let open = 0; open < watches; open++) {
      ask("watch", `${path}?watch=1&timeoutSeconds=${lastingSeconds}&resourceVersion=0`).catch(() => {}); // It may stay open.
    }
    await ask("request", "/livez/ping");
    return told[1] === "request";
  } finally {
    session.destroy();
  }
}

/** The window of a stream in the settings that the server sends. */
export async function streamWindow(
  { port, ca, token }: { readonly port: number; readonly ca: string; readonly token: string },
): Promise<number> {
  const session = await http2Session({ port }, { ca: { cert: ca, key: "" } });
  try {
    await http2Ask(session, { path: "/livez/ping", headers: { authorization: `Bearer ${token}` } }); // After the settings.
    return session.remoteSettings.initialWindowSize ?? 0;
  } finally {
    session.destroy();
  }
}
