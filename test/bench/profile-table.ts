/** Sums up a CPU profile of V8. */

/** What the profiler writes, as far as it is read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

export interface SelfTime {
  /** Name of the function, with its file and line. */
  readonly name: string;
  /** Milliseconds in the function itself. */
  readonly selfMs: number;
  /** Share of all time in which the thread was not idle. */
  readonly share: number;
}

/** The functions by time in themselves, most first. Idle time is left out. */
export function selfTimes({ nodes, samples, timeDeltas }: CpuProfile, root: string): readonly SelfTime[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame, root)]));
  const sums = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? "(unknown)";
    // The time until the next sample belongs to this one.
    sums.set(name, (sums.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1000);
  }
  sums.delete("(idle)");
  const total = [...sums.values()].reduce((sum, each) => sum + each, 0);
  return [...sums].map(([name, selfMs]) => ({ name, selfMs, share: selfMs / total })).toSorted((a, b) => b.selfMs - a.selfMs);
}

function nameOf({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"], root: string): string {
  if (url === "" && functionName.startsWith("(")) return functionName;
  const path = url.replace("file://", "").replace(root, "");
  return `${functionName === "" ? "(anonymous)" : functionName} ${path === "" ? "(native)" : `${path}:${lineNumber + 1}`}`;
}
