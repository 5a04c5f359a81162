// Finds out that npm, which runs a script of this package, was killed. npm cannot pass that on, and the shell between them waits for the script.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./runtimes.mjs";

/** Milliseconds between looks. */
const lookEveryMs = 500;
const shells = ["sh", "ash", "bash", "dash", "ksh", "zsh", "busybox"];

/** Calls `gone` once when npm has ended. No effect in a process that npm did not start: such a one may outlive its parent. */
export function onNpmGone(gone) {
  if (process.env.npm_package_json !== join(root, "package.json") || !["start", "dev", "npx"].includes(process.env.npm_lifecycle_event)) {
    return;
  }
  const parent = process.ppid, { name, parent: above } = processOf(parent) ?? {};
  // The parent is npm, or a shell that npm has started. A process whose parent ends gets another one.
  const isThere = () => process.ppid === parent && (!shells.includes(name) || processOf(parent)?.parent === above);
  const timer = setInterval(() => {
    if (isThere()) return;
    clearInterval(timer);
    gone();
  }, lookEveryMs).unref();
}

/** Name and parent of a process; undefined where the system does not have /proc. There shells run a single command in their own process. */
function processOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8"), end = text.lastIndexOf(")");
    return { name: text.slice(text.indexOf("(") + 1, end), parent: Number(text.slice(end + 2).split(" ")[1]) };
  } catch {
    return undefined;
  }
}
