import assert from "node:assert/strict";
import { test } from "node:test";
import { type Channel, lineReader, PipeChannel } from "./channel.ts";

/** Two channels that are connected. */
function pair(answer: (question: string) => Promise<unknown>) {
  const notices: string[] = [], lines: string[] = [];
  const one: Channel<string, string> = new PipeChannel<string, string, string, string>({
    send: (line) => {
      lines.push(line);
      other.take(line.slice(0, -1));
    },
    answer: () => Promise.reject(new Error("asked")),
    noticed: () => {},
  });
  const other: Channel<string, string> = new PipeChannel<string, string, string, string>({
    send: (line) => void one.take(line.slice(0, -1)),
    answer,
    noticed: (notice) => void notices.push(notice),
  });
  return { one, other, notices, lines };
}

test("Channel.ask() resolves with the answer to its own question, whatever the order, and rejects with the error", async () => {
  const answers = new Map(["a", "b"].map((name) => [name, Promise.withResolvers<unknown>()]));
  const { one } = pair((question) => answers.get(question)?.promise ?? Promise.reject(new Error(`no ${question}`)));
  const [a, b] = [one.ask("a"), one.ask("b")];
  answers.get("b")!.resolve({ of: "b\n\x1e\u2028" });
  assert.deepEqual(await b, { of: "b\n\x1e\u2028" });
  answers.get("a")!.resolve(undefined);
  assert.equal(await a, undefined);
  await assert.rejects(one.ask("c"), /^Error: no c$/);
});

test("Channel.ask() rejects when its signal aborts and when the channel closes; later answers are ignored", async () => {
  const late = Promise.withResolvers<unknown>();
  const { one, lines } = pair(() => late.promise);
  const abort = new AbortController();
  const [first, second] = [one.ask("a", abort.signal), one.ask("b")];
  abort.abort(new Error("too late"));
  await assert.rejects(first, /too late/);
  await assert.rejects(one.ask("d", abort.signal), /too late/);
  one.close(new Error("it has ended"));
  await assert.rejects(second, /it has ended/);
  const sent = lines.length;
  await assert.rejects(one.ask("c"), /it has ended/);
  one.notify("nobody");
  assert.equal(lines.length, sent, "nothing is sent to a process that has ended");
  late.resolve(1);
});

test("Channel.take() returns what is not a message: the program's own output", () => {
  const { one, other, notices, lines } = pair(() => Promise.resolve());
  one.notify("ready");
  assert.deepEqual(notices, ["ready"]);
  assert.equal(other.take("plain"), "plain");
  assert.equal(other.take(`without an end${lines[0]!.trimEnd()}`), "without an end");
  assert.deepEqual(notices, ["ready", "ready"]);
});

test("lineReader() joins chunks to lines, also within a character", () => {
  const lines: string[] = [];
  const reader = lineReader((line) => lines.push(line));
  const bytes = new TextEncoder().encode("ä\n\nlong line\nlast");
  for (const byte of bytes) reader.write(Uint8Array.of(byte));
  assert.deepEqual(lines, ["ä", "", "long line"]);
  reader.end();
  assert.deepEqual(lines, ["ä", "", "long line", "last"]);
  reader.end();
  assert.equal(lines.length, 4);
});

test("Channel.take() ignores a message that its process was killed in, and the output before it is kept", async () => {
  const { one, lines } = pair(() => Promise.resolve("answer"));
  const asked = one.ask("a");
  const whole = lines[0]!.slice(0, -1);
  for (let length = 1; length < whole.length; length++) assert.equal(one.take(`printed${whole.slice(0, length)}`), "printed");
  assert.equal(await asked, "answer");
});
