/** Events as lines of a log file or of the standard output. Events that arrive during a write are written together. */
import type { LineSink } from "../../protocols/files/line-sink.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { AuditBackend, LostEvents, WrittenEvent } from "../../core/audit/backend.ts";

interface Waiting {
  readonly lines: readonly Uint8Array[];
  readonly done: (success: boolean) => void;
}

/** `lineOf`: an event in the format of the log, with its line end. */
export function logBackend(sink: LineSink, lineOf: (event: WrittenEvent) => string, lost: LostEvents): AuditBackend {
  const encoder = new TextEncoder();
  let waiting: Waiting[] = [], writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const now = waiting;
      waiting = [];
      await write(now);
    }
    writing = undefined;
  }

  async function write(groups: readonly Waiting[]): Promise<void> {
    const lines = groups.flatMap((group) => group.lines);
    let failed: ReadonlyMap<number, string>;
    try {
      failed = await sink.append(lines);
    } catch (error) {
      const reason = reasonOf(error);
      failed = new Map(lines.map((_, index) => [index, reason]));
    }
    const [reason] = failed.values();
    if (reason !== undefined) lost("log", reason, failed.size);
    let at = 0;
    for (const group of groups) {
      const first = at;
      at += group.lines.length;
      group.done(failed.size === 0 || group.lines.every((_, index) => !failed.has(first + index)));
    }
  }

  return {
    process: (events) =>
      new Promise((resolve) => {
        waiting.push({ lines: events.map((event) => encoder.encode(lineOf(event))), done: resolve });
        writing ??= writeAll();
      }),
    async close() {
      await writing;
      await sink.close();
    },
  };
}
