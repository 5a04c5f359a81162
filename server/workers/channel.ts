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

/** The channel over a pair of pipes. */
export class PipeChannel<Question, Notice, TheirQuestion, TheirNotice> implements Channel<Question, Notice> {
  readonly #options: ChannelOptions<TheirQuestion, TheirNotice>;
  readonly #waiting = new Map<number, Waiting>();
  /** The number of the last question. */
  #last = 0;
  #ended: Error | undefined;

  constructor(options: ChannelOptions<TheirQuestion, TheirNotice>) {
    this.#options = options;
  }

  ask(question: Question, signal?: AbortSignal): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const id = ++this.#last, aborted = () => this.#settle(id, (one) => one.reject(signal!.reason));
      const over = <T>(then: (value: T) => void) => (value: T) => {
        signal?.removeEventListener("abort", aborted);
        then(value);
      };
      this.#waiting.set(id, { resolve: over(resolve), reject: over(reject) });
      signal?.addEventListener("abort", aborted, { once: true });
      this.#write({ tag: "ask", id, question });
    });
  }
  notify(notice: Notice): void {
    this.#write({ tag: "notice", notice });
  }
  take(line: string): string {
    const at = line.indexOf(separator);
    if (at < 0) return line;
    const message = messageOf<Message<TheirQuestion, TheirNotice>>(line.slice(at + 1));
    if (message !== undefined) this.#received(message);
    return line.slice(0, at);
  }
  close(reason: Error): void {
    this.#ended ??= reason;
    for (const id of [...this.#waiting.keys()]) this.#settle(id, ({ reject }) => reject(reason));
  }

  #received(message: Message<TheirQuestion, TheirNotice>): void {
    switch (message.tag) {
      case "ask": {
        const { id, question } = message;
        this.#options.answer(question).then(
          (value) => this.#write({ tag: "answer", id, value }),
          (error: unknown) => this.#write({ tag: "failed", id, error: reasonOf(error) }),
        );
        return;
      }
      case "answer":
        return this.#settle(message.id, ({ resolve }) => resolve(message.value));
      case "failed":
        return this.#settle(message.id, ({ reject }) => reject(new Error(message.error)));
      case "notice":
        this.#options.noticed(message.notice);
    }
  }
  #settle(id: number, settle: (one: Waiting) => void): void {
    const one = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (one !== undefined) settle(one);
  }
  #write(message: Message<Question, Notice>): void {
    if (this.#ended === undefined) this.#options.send(`${separator}${valueText(message)}\n`);
  }
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
