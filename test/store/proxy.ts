/** A TCP proxy on loopback between a client and a server under test; tests can cut or hold its connections. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface Proxy {
  readonly endpoint: string;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Breaks every connection and stops listening: the system refuses new ones. */
  refuse(): Promise<void>;
  /** Forwards nothing in either direction, without closing connections. */
  hold(): void;
  /** Forwards new connections again; held ones stay silent. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let way: "open" | "cut" | "held" = "open";
  const server = createServer((client) => {
    if (way === "cut") return void client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
      if (way === "held") from.unpipe(to).pause();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The proxy has no port");
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    cut() {
      way = "cut";
      breakAll();
    },
    hold() {
      way = "held";
      for (const socket of sockets) socket.unpipe().pause();
    },
    async refuse() {
      way = "cut";
      breakAll();
      server.close();
      await once(server, "close");
    },
    async restore() {
      way = "open";
      if (server.listening) return;
      server.listen(address.port, "127.0.0.1");
      await once(server, "listening");
    },
    async close() {
      breakAll();
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}
