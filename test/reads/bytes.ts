/** Stored bytes in other forms than the canonical one, or that cannot be decoded. */
import assert from "node:assert/strict";
import {
  eventsOf,
  get,
  jsonFraming,
  list,
  noteOf,
  openWatch,
  put,
  putBytes,
  remove,
  type SeenEvent,
  startWatch,
  summaries,
} from "./fixture.ts";
import { type Case, refusedBy } from "./case.ts";

export function bytes(promise: Case): void {
  promise("objects of other writers are shown in canonical form, with defaults", async (fixture) => {
    const text = '{"metadata": {"namespace":"ns","name":"a","labels":{"b":"2","a":"1"}},\n "unknown": 1, "apiVersion":"v1","kind":"Note"}';
    const revision = await putBytes(fixture, "a", new TextEncoder().encode(text));
    const item = await get(fixture, "a");
    const expected =
      `{"kind":"Note","apiVersion":"v1","metadata":{"name":"a","namespace":"ns","resourceVersion":"${revision}","labels":{"a":"1","b":"2"}},"mood":"plain"}`;
    assert.equal(item?.text, expected);
    assert.equal(new TextDecoder().decode(item?.json), expected);
    assert.deepEqual((await list(fixture, "labelSelector=a=1&fieldSelector=mood=plain")).names, ["a"]);
    const watch = await startWatch(fixture, "");
    const [event] = await watch.has(1);
    assert.deepEqual(event?.object, JSON.parse(expected));
    await watch.stop();
  });

  promise("an object of any content is read as it was written", async (fixture) => {
    const data = { __proto__x: "1", constructor: "2", quote: '"\\{}', line: "\u2028\n<&>", emoji: "\u{1f600}", long: "x".repeat(300_000) };
    const revision = await put(fixture, "a", { data, labels: { resourceVersion: "1" } });
    const expected = noteOf("a", { data, labels: { resourceVersion: "1" } });
    const shown = { ...expected, metadata: { ...expected.metadata, resourceVersion: `${revision}` } };
    assert.deepEqual((await get(fixture, "a"))?.object, shown);
    assert.deepEqual((await list(fixture)).objects, [shown]);
    const watch = await startWatch(fixture, "");
    assert.deepEqual((await watch.has(1))[0]?.object, shown);
    const gone = await remove(fixture, "a");
    const [, event] = await watch.reached(gone);
    assert.deepEqual(event?.object, { ...expected, metadata: { ...expected.metadata, resourceVersion: `${gone}` } });
    await watch.stop();
  });

  promise("bytes that cannot be decoded are an error with the key, until they are overwritten", async (fixture) => {
    const from = await put(fixture, "b");
    const watch = await startWatch(fixture, `resourceVersion=${from}`);
    const other = await startWatch(fixture, `resourceVersion=${from}`, { namespace: "other" });
    const elsewhere = await startWatch(fixture, `resourceVersion=${from}`, { plural: "shelves", namespace: "" });
    await putBytes(fixture, "a", new TextEncoder().encode("{nonsense"));
    await refusedBy(() => get(fixture, "a").then((item) => item?.object), 500, /"\/registry\/notes\/ns\/a" cannot be read/);
    await refusedBy(() => list(fixture), 500, /cannot be read/);
    assert.equal((await get(fixture, "b"))?.revision, from);
    await watch.ended;
    assert.deepEqual(watch.events.map(({ type, object }) => [type, object.code]), [["ERROR", 500]]);
    await put(fixture, "c", { namespace: "other" });
    await other.has(1);
    await put(fixture, "a");
    assert.deepEqual((await list(fixture)).names, ["a", "b"]);
    await other.stop();
    assert.deepEqual(await elsewhere.stop(), []);
  });

  promise("frames are counted one by one with their sizes", async (fixture) => {
    const from = await put(fixture, "a");
    const { stream, stopping, framing } = await openWatch(fixture, `resourceVersion=${from}`);
    const sizes: number[] = [];
    for (let round = 0; round < 5; round++) await put(fixture, "a", { data: { round: "x".repeat(round) } });
    for await (const event of eventsOf(stream)) {
      sizes.push(new TextEncoder().encode(JSON.stringify(event)).length + 1);
      if (sizes.length === 5) break;
    }
    stopping.abort();
    assert.deepEqual(framing.frames.slice(0, 5), sizes);
  });

  promise("watches of other encodings have their own frames, and an opening first frame", async (fixture) => {
    const from = await put(fixture, "a");
    const table = () =>
      jsonFraming({
        id: "table",
        plain: false,
        opens: true,
        frame: (type, item, first) =>
          new TextEncoder().encode(
            `{"type":"${type}","object":{"first":${first},"metadata":{"name":"${item.object.metadata.name}","resourceVersion":"${item.revision}"}}}\n`,
          ),
      });
    const early = await startWatch(fixture, `resourceVersion=${from}`, { framing: table() });
    const plain = await startWatch(fixture, `resourceVersion=${from}`);
    const b = await put(fixture, "b");
    await early.reached(b);
    const late = await startWatch(fixture, "", { framing: table() });
    await late.has(2);
    const c = await put(fixture, "c");
    const firsts = (events: readonly SeenEvent[]) => events.map(({ object }) => (object as unknown as { first: boolean }).first);
    await Promise.all([early, plain, late].map((watch) => watch.reached(c)));
    assert.deepEqual(firsts(await early.stop()), [true, false]);
    assert.deepEqual(firsts(await late.stop()), [true, false, false]);
    assert.deepEqual(summaries(await plain.stop()), [`ADDED b ${b}`, `ADDED c ${c}`]);
  });
}
