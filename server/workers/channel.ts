/**
 * A connection between two processes over pipes: questions with answers, and notices. Each message is one line, the record separator and
 * then JSON (RFC 7464), so that a program's own output can share the pipe: JSON has no control characters.
 */
import { reasonOf } from "../../core/reason-of.ts";
import { valueText } from "../../core/value-text.ts";

const separator = "\x1e";

type Message<Question, Notice> =
  | { readonly tag: "ask"; readonly id: number; readonly question: Question }
  | { readonly tag: "answer"; readonly id: number; readonly value?: unknown }
  | { readonly tag: "failed"; readonly id: number; readonly error: string }
  | { readonly tag: "notice"; readonly notice: Notice };

export interface ChannelOptions<TheirQuestion, TheirNotice> {
  /** Sends a line with its end. */
  readonly send: (line: string) => void;
  readonly answer: (question: TheirQuestion) => Promise<unknown>;
  readonly noticed: (notice: TheirNotice) => void;
}

export interface Channel<Question, Notice> {
  /** Rejects with the error of the other side, with the signal's reason, or when the channel is closed. */
  ask(question: Question, signal?: AbortSignal): Promise<unknown>;
  notify(notice: Notice): void;
  /** Takes a line without its end. Returns the text before a message, or the whole line if it has none: output of the program. */
  take(line: string): string;
  /** The other side has ended: open questions fail. */
  close(reason: Error): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export function openChannel<Question, Notice, TheirQuestion, TheirNotice>(
  { send, answer, noticed }: ChannelOptions<TheirQuestion, TheirNotice>,
): Channel<Question, Notice> {
  const waiting = new Map<number, Waiting>();
  let last = 0, ended: Error | undefined;
  const write = (message: Message<Question, Notice>) => {
    if (ended === undefined) send(`${separator}${valueText(message)}\n`);
  };
  const settle = (id: number, with_: (one: Waiting) => void) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (one !== undefined) with_(one);
  };

  function received(message: Message<TheirQuestion, TheirNotice>): void {
    switch (message.tag) {
      case "ask": {
        const { id, question } = message;
        answer(question).then(
          (value) => write({ tag: "answer", id, value }),
          (error: unknown) => write({ tag: "failed", id, error: reasonOf(error) }),
        );
        return;
      }
      case "answer":
        return settle(message.id, ({ resolve }) => resolve(message.value));
      case "failed":
        return settle(message.id, ({ reject }) => reject(new Error(message.error)));
      case "notice":
        noticed(message.notice);
    }
  }

  return {
    ask(question, signal) {
      if (ended !== undefined) return Promise.reject(ended);
      return new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const id = ++last, aborted = () => settle(id, (one) => one.reject(signal!.reason));
        const over = <T>(then: (value: T) => void) => (value: T) => {
          signal?.removeEventListener("abort", aborted);
          then(value);
        };
        waiting.set(id, { resolve: over(resolve), reject: over(reject) });
        signal?.addEventListener("abort", aborted, { once: true });
        write({ tag: "ask", id, question });
      });
    },
    notify: (notice) => write({ tag: "notice", notice }),
    take(line) {
      const at = line.indexOf(separator);
      if (at < 0) return line;
      const message = messageOf<Message<TheirQuestion, TheirNotice>>(line.slice(at + 1));
      if (message !== undefined) received(message);
      return line.slice(0, at);
    },
    close(reason) {
      ended ??= reason;
      for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(reason));
    },
  };
}

/** The message of a line; undefined if it is cut: a process that is killed while it writes leaves a part of one. `T`: the other process runs the same program. */
function messageOf<T>(json: string): T | undefined {
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}

/** Splits chunks of UTF-8 into lines without their ends. `end` emits a last line without an end. */
export function lineReader(line: (text: string) => void): { write(chunk: Uint8Array): void; end(): void } {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  const take = (text: string) => {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      pieces.push(text.slice(start, end));
      line(pieces.join(""));
      pieces = [];
      start = end + 1;
    }
    if (start < text.length) pieces.push(text.slice(start));
  };
  return {
    write: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end() {
      take(decoder.decode());
      if (pieces.length > 0) line(pieces.join(""));
      pieces = [];
    },
  };
}
