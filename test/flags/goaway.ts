/** GOAWAY frames of a server. */
import { http2Ask, http2Session } from "../../server/listen/testing/clients.ts";

/** Sends at most `most` requests over one connection. Resolves with the number of the request after which the server sent a GOAWAY, or 0.
 *  `token`: bearer token of the requests; "" sends none. */
export async function requestsUntilGoaway(
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
      // A frame after a response arrives before the response to a PING.
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
