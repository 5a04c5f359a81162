/** The server under test for recorded conversations: in this process, with an empty store in memory. */
import { startTestServer } from "../harness.ts";
import type { RunningServer } from "./run.ts";

export function startServer(flags: readonly string[]): Promise<RunningServer> {
  return startTestServer({ args: [...flags] });
}
