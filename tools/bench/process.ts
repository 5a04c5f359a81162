/** Process statistics of Linux. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Clock ticks per second in /proc (getconf CLK_TCK; 100 on every known Linux). */
const ticksPerSecond = 100;

/** CPU time that a process has used, threads included, in milliseconds. */
export function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The name, in parentheses, may contain blanks. After it: state is field 3, utime 14, stime 15.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 1000 / ticksPerSecond;
}

/** Milliseconds that the main thread of a process has run, and that it was runnable without a core. */
export function mainThreadMs(pid: number): { readonly ran: number; readonly waited: number } {
  const [ran = NaN, waited = NaN] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ").map((each) =>
    Number(each) / 1e6
  );
  return { ran, waited };
}

/** As `cpuMs`, exact to a fraction of a millisecond, without threads that have ended. */
export function threadsMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]) / 1e6;
    } catch {
      return sum; // It has ended since.
    }
  }, 0);
}

/** Memory of a process, and its peak since `forgetPeak`, in MiB. */
export function memoryMiB(pid: number): { readonly now: number; readonly peak: number } {
  const text = readFileSync(`/proc/${pid}/status`, "latin1");
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? NaN);
  return { now: kib("VmRSS") / 1024, peak: kib("VmHWM") / 1024 };
}

/** Resets the peak. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** A process and all that it has started. */
export function treeOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter((each) => each !== "").map(Number);
  return [pid, ...children.flatMap(treeOf)];
}

/** CPU time of a process and all that it has started, in milliseconds. */
export function treeCpuMs(pid: number): number {
  return treeOf(pid).reduce((sum, each) => sum + cpuMs(each), 0);
}
