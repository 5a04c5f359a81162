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

type Frame = CpuProfile["nodes"][number]["callFrame"];

/** The functions by time in themselves, most first. Idle time is left out. */
export function selfTimes(profile: CpuProfile, root: string): readonly SelfTime[] {
  return timesBy(profile, (frame) => nameOf(frame, root));
}

/** The same, summed up by folder, module or package. */
export function folderTimes(profile: CpuProfile, root: string): readonly SelfTime[] {
  return timesBy(profile, (frame) => folderOf(frame, root));
}

function timesBy({ nodes, samples, timeDeltas }: CpuProfile, by: (frame: Frame) => string): readonly SelfTime[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, by(callFrame)]));
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

/** What V8 does itself: "(idle)", "(program)", "(garbage collector)". */
function isOfEngine({ functionName, url }: Frame): boolean {
  return url === "" && functionName.startsWith("(");
}

function pathOf(url: string, root: string): string {
  return url.replace("file://", "").replace(root, "");
}

function folderOf(frame: Frame, root: string): string {
  if (isOfEngine(frame)) return frame.functionName;
  const path = pathOf(frame.url, root), parts = path.split("/");
  if (path === "") return "(native)";
  // Modules of the runtime by module, packages by name, own files by folder.
  if (path.startsWith("node:") || path.startsWith("ext:")) return parts.slice(0, 3).join("/");
  return parts.slice(0, Math.min(parts.length - 1, 2)).join("/");
}

function nameOf(frame: Frame, root: string): string {
  if (isOfEngine(frame)) return frame.functionName;
  const { functionName, url, lineNumber } = frame, path = pathOf(url, root);
  return `${functionName === "" ? "(anonymous)" : functionName} ${path === "" ? "(native)" : `${path}:${lineNumber + 1}`}`;
}
