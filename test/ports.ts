/** Ports for programs that must be told theirs. */
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below those that systems give to connections: of them any may be taken by the time that the program listens, or listens again. */
const first = 20_000, last = 32_000;
/** Where a port is held from the moment that a test has it: other processes that ask here pass it over, and it is let go with this one. */
const heldAt = "127.77.77.77";

/** A port on which nobody listens, and that no other test gets as long as this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (last - first));
    const held = await listening(port, heldAt);
    if (held === undefined) continue;
    held.unref();
    const free = await listening(port, "127.0.0.1");
    if (free === undefined) continue;
    await once(free.close(), "close");
    return port;
  }
}

/** Undefined where somebody else listens. */
async function listening(port: number, host: string): Promise<Server | undefined> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return undefined;
    throw error;
  }
}
