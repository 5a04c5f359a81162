/** Ports for programs that cannot choose a free port. */
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below the range of ephemeral ports, which connections could take before the program listens, or listens again. */
const first = 20_000, last = 32_000;
/** Address on which a test reserves its port until this process ends: other test processes skip reserved ports. */
const heldAt = "127.77.77.77";

/** A free port, reserved for this process. */
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

/** Undefined if the port is in use. */
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
