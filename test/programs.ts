/** External programs that tests use, found on PATH by name, in all installed releases. */
import { accessSync, constants, readdirSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

/** Paths of the programs on PATH with this name, with or without a release: `kubectl`, `kubectl-1.27`, `etcd3.5.1`; each program once. */
export function programs(name: string): readonly string[] {
  const found = new Map<string, string>();
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (
      const each of namesIn(folder).filter((other) => other.startsWith(name) && /^([-_.]?v?\d+(\.\d+)*)?$/.test(other.slice(name.length)))
    ) {
      try {
        accessSync(join(folder, each), constants.X_OK);
        const real = realpathSync(join(folder, each));
        if (!found.has(real)) found.set(real, join(folder, each));
      } catch { /* A broken link, or not a program. */ }
    }
  }
  return [...found.values()];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
