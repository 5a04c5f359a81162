import process from "node:process";
import type { LineSink } from "./line-sink.ts";

/** Returns the standard output (`--audit-log-path=-`). Waits until the lines have left the process. */
export function standardOutput(): LineSink {
  return {
    async append(lines) {
      const bytes = Buffer.concat(lines);
      await new Promise<void>((resolve, reject) => {
        process.stdout.write(bytes, (error) => error === undefined || error === null ? resolve() : reject(error));
      });
      return new Map();
    },
    close: () => Promise.resolve(),
  };
}
