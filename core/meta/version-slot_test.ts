import assert from "node:assert/strict";
import { test } from "node:test";
import { metadataRange, versionBytes, versionMember, versionSlot } from "./version-slot.ts";

function spliced(json: string, revision = 7): string | undefined {
  const bytes = new TextEncoder().encode(json);
  const slot = versionSlot(bytes, 1);
  const text = (from: number, to?: number) => new TextDecoder().decode(bytes.subarray(from, to));
  return slot && text(0, slot.at) + new TextDecoder().decode(versionBytes(slot, revision)) + text(slot.end);
}

test("versionSlot() is the position for resourceVersion among the keys of metadata", () => {
  for (
    const [json, expected] of [
      ['{"metadata":{}}', '{"metadata":{"resourceVersion":"7"}}'],
      ['{"metadata":{"name":"a"}}', '{"metadata":{"name":"a","resourceVersion":"7"}}'],
      ['{"metadata":{"name":"a","uid":"u"},"data":{}}', '{"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"data":{}}'],
      [
        '{"metadata":{"name":"a","generateName":"a-","namespace":"n","selfLink":"s","uid":"u","generation":1}}',
        '{"metadata":{"name":"a","generateName":"a-","namespace":"n","selfLink":"s","uid":"u","resourceVersion":"7","generation":1}}',
      ],
      ['{"metadata":{"labels":{"uid":"x"}}}', '{"metadata":{"resourceVersion":"7","labels":{"uid":"x"}}}'],
      ['{"metadata":{"name":"a\\"}","labels":{}}}', '{"metadata":{"name":"a\\"}","resourceVersion":"7","labels":{}}}'],
      [
        '{"metadata":{"name":"é😀","creationTimestamp":null}}',
        '{"metadata":{"name":"é😀","resourceVersion":"7","creationTimestamp":null}}',
      ],
    ] as const
  ) {
    assert.equal(spliced(json), expected);
  }
});

test("versionSlot() is the position of an existing resourceVersion", () => {
  assert.equal(
    spliced('{"metadata":{"name":"a","resourceVersion":"123","labels":{}}}'),
    '{"metadata":{"name":"a","resourceVersion":"7","labels":{}}}',
  );
  assert.equal(spliced('{"metadata":{"resourceVersion":""}}'), '{"metadata":{"resourceVersion":"7"}}');
});

test("versionSlot() is undefined for JSON that is not in our own form", () => {
  for (
    const json of [
      '{"kind":"A","metadata":{}}',
      '{ "metadata":{}}',
      '{"metadata": {}}',
      '{"metadata":[]}',
      '{"metadata":{"name":1}}',
      '{"metadata":{"name":"a" }}',
      '{"metadata":{"name"',
      '{"metadata":{"name":"a',
      '{"metadata":{name:1}}',
      "{",
    ]
  ) {
    assert.equal(spliced(json), undefined, json);
  }
});

test("versionMember() is exactly the range that filling the slot added", () => {
  for (
    const bare of [
      '{"metadata":{}}',
      '{"metadata":{"name":"a"}}',
      '{"metadata":{"name":"a","uid":"u"},"data":{}}',
      '{"metadata":{"name":"a","generation":1}}',
      '{"metadata":{"labels":{"resourceVersion":"x"}}}',
    ]
  ) {
    const bytes = new TextEncoder().encode(spliced(bare));
    const [from, to] = versionMember(bytes, 1);
    const text = new TextDecoder();
    assert.equal(text.decode(bytes.subarray(0, from)) + text.decode(bytes.subarray(to)), bare);
    assert.throws(() => versionMember(new TextEncoder().encode(bare), 1), /no resourceVersion/);
  }
});

test("metadataRange() is the range of the metadata at a position, whatever its strings contain", () => {
  const range = (json: string) => {
    const bytes = new TextEncoder().encode(json), found = metadataRange(bytes, 1);
    return found && new TextDecoder().decode(bytes.subarray(...found));
  };
  for (
    const metadata of [
      "{}",
      '{"name":"a"}',
      '{"labels":{"}":"{"},"name":"\\"}\\\\"}',
      '{"managedFields":[{"fieldsV1":{"f:a":{}}}],"x":"é😀"}',
    ]
  ) {
    assert.equal(range(`{"metadata":${metadata},"spec":{}}`), metadata);
    assert.equal(range(`{"metadata":${metadata}}`), metadata);
    assert.equal(range(`{"metadata":${metadata.slice(0, -1)}`), undefined);
  }
  assert.equal(range('{"spec":{},"metadata":{}}'), undefined);
  assert.equal(range('{"metadata":{"name":"a'), undefined);
});
