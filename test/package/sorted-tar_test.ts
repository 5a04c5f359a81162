import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";

const { sortedTar } = await import(new URL("../../scripts/sorted-tar.mjs", import.meta.url).href) as { sortedTar(tar: Buffer): Buffer };

/** One entry of a tar: its header and its content in blocks. */
function entry(path: string, content: string, type = "0"): Buffer {
  const bytes = Buffer.alloc(512 + Math.ceil(content.length / 512) * 512);
  bytes.write(path, 0, "latin1");
  bytes.write(content.length.toString(8).padStart(11, "0"), 124, "latin1");
  bytes.write(type, 156, "latin1");
  bytes.write(content, 512, "latin1");
  return bytes;
}
const end = Buffer.alloc(1024);

test("files are sorted by type, then by path; a pax header stays before its file", () => {
  const [b, map, pax, long, a] = [
    entry("package/b/mod.js", "b".repeat(513)),
    entry("package/a/mod.js.map", "map"),
    entry("PaxHeader/long.js", "12 path=x\n", "x"),
    entry("package/a/long.js", ""),
    entry("package/a/a.js", "a"),
  ];
  assert.deepEqual(sortedTar(Buffer.concat([b, map, pax, long, a, end])), Buffer.concat([a, pax, long, b, map, end]));
});
