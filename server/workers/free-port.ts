/** Checks that no other program listens on a port. Workers share theirs, so that listening itself would not fail. */
import { createServer } from "node:net";

/** Rejects if the address is in use. Another server could otherwise take a share of the connections. */
export function checkFree(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => reject(new Error(`cannot listen on ${host}, port ${port}: ${error.message}`, { cause: error })));
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}
