/** Progress of a command on the standard error. */
import process from "node:process";
import type { BeginProgress } from "../core/progress.ts";
import { openLog } from "../kernel/observe/log.ts";
import { loggedProgress, progressTerminal } from "../server/log/progress.ts";

export function progressOfCommand(): BeginProgress {
  const now = () => performance.now();
  if (process.stderr.isTTY === true) return progressTerminal(process.stderr, now).begin;
  return loggedProgress(openLog("text", (line) => console.error(line), Date.now, { v: 0, modules: [] }, process.pid), now);
}
