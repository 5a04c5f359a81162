/** How soon a server sends an HTTP/2 client to another connection. */
import { http2Ask, http2Session } from "../../kernel/listen/testing/clients.ts";

/** Asks over one connection, at most so often; the request after which the server said GOAWAY, or 0. With a token of its own nobody is a
 *  stranger; with "" the request has none. */
export async function sentAway(
  { port, ca, token }: { readonly port: number; readonly ca: string; readonly token: string },
  most: number,
): Promise<number> {
  const session = await http2Session({ port }, { ca: { cert: ca, key: "" } });
  let away = false;
  session.once("goaway", () => away = true);
  const closed = new Promise<void>((resolve) => session.once("close", resolve));
  try {
    for (let asked = 1; asked <= most; asked++) {
      const { status } = await http2Ask(session, {
        path: "/livez/ping",
        headers: token === "" ? {} : { authorization: `Bearer ${token}` },
      });
      if (status === 0) throw new Error("no answer");
      // What comes behind an answer comes before that to a PING.
      const answered = new Promise<void>((resolve) => {
        if (session.closed || session.destroyed || !session.ping(() => resolve())) resolve();
      });
      await Promise.race([answered, closed]);
      if (away) return asked;
    }
    return 0;
  } finally {
    session.close();
  }
}
