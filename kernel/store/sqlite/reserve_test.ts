import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openReserve, storeReservePieceBytes } from "./reserve.ts";
import { storeReserveBytes } from "./bounds.ts";

const blockBytes = 64 * 1024;

test("openReserve() fills its file with random bytes, of which no block repeats, and takes released pieces back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-reserve-")), path = join(folder, "reserve");
  const reserve = openReserve(path);
  const size = async () => (await stat(path)).size;
  try {
    assert.equal(reserve.refill(), true);
    assert.equal(await size(), storeReserveBytes);
    assert.equal(reserve.release(), true);
    assert.equal(await size(), storeReserveBytes - storeReservePieceBytes);
    assert.equal(reserve.refill(), true);
    const bytes = await readFile(path);
    assert.equal(bytes.length, storeReserveBytes);
    const blocks = Array.from(
      { length: storeReserveBytes / blockBytes },
      (_, at) => bytes.toString("base64", at * blockBytes, at * blockBytes + 64),
    );
    assert.equal(new Set(blocks).size, blocks.length);
  } finally {
    reserve.close();
    await rm(folder, { recursive: true, force: true });
  }
});
