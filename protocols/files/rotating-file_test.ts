// A log file: rotation, old files, full disks.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { backupsAmong, rotatingFile, type RotationOptions } from "./rotating-file.ts";

const line = (text: string) => new TextEncoder().encode(`${text}\n`);

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-audit-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
const noon = Date.UTC(2030, 5, 1, 12), day = 86_400_000;
function options(more: Partial<RotationOptions> = {}): RotationOptions & { readonly reports: string[] } {
  const reports: string[] = [];
  return {
    maxBytes: 10,
    maxAgeMs: 0,
    maxBackups: 0,
    compress: false,
    now: () => noon,
    report: (text) => void reports.push(text),
    reports,
    ...more,
  };
}

test("rotatingFile() starts a new file before the size is exceeded, never in the middle of a line", () =>
  inFolder(async (folder) => {
    const path = join(folder, "logs", "audit.log");
    const file = await rotatingFile(path, options());
    assert.deepEqual([...await file.append(["aaaa", "bbbb", "cccc", "dd"].map(line))], []);
    assert.deepEqual([...await file.append([line("a line that is too long"), line("e")])], [
      [0, "write length 24 exceeds maximum file size 10"],
    ]);
    await file.close();
    assert.equal(await readFile(path, "utf8"), "cccc\ndd\ne\n");
    assert.equal(await readFile(join(folder, "logs", "audit-2030-06-01T12-00-00.000.log"), "utf8"), "aaaa\nbbbb\n");
    assert.deepEqual([(await stat(path)).mode & 0o777, (await stat(join(folder, "logs"))).mode & 0o777], [0o600, 0o700]);
    // The next start continues this file, and two rotations within a millisecond have different names.
    const again = await rotatingFile(path, options());
    await again.append([line("x".repeat(9)), line("y".repeat(9))]);
    await again.close();
    assert.deepEqual((await readdir(join(folder, "logs"))).toSorted(), [
      "audit-2030-06-01T12-00-00.000.log",
      "audit-2030-06-01T12-00-00.001.log",
      "audit-2030-06-01T12-00-00.002.log",
      "audit.log",
    ]);
  }));

test("rotatingFile() keeps old files by number and age, and does not touch others", () =>
  inFolder(async (folder) => {
    const names = ["audit-2030-05-31T12-00-00.000.log", "audit-2030-05-30T12-00-00.000.log", "audit-2030-05-01T12-00-00.000.log.gz"];
    for (const name of [...names, "audit-notes.log", "other.log"]) await writeFile(join(folder, name), name);
    await mkdir(join(folder, "audit-folder.log"));
    await (await rotatingFile(join(folder, "audit.log"), options({ maxAgeMs: 7 * day }))).close();
    assert.deepEqual((await readdir(folder)).toSorted(), [
      "audit-2030-05-30T12-00-00.000.log",
      "audit-2030-05-31T12-00-00.000.log",
      "audit-folder.log",
      "audit-notes.log",
      "audit.log",
      "other.log",
    ]);
    await (await rotatingFile(join(folder, "audit.log"), options({ maxBackups: 1 }))).close();
    assert.deepEqual(backupsAmong(await readdir(folder), join(folder, "audit.log")).flatMap((each) => each.names), [names[0]]);
  }));

test("rotatingFile() compresses old files; a failure is reported, and the log continues", () =>
  inFolder(async (folder) => {
    const path = join(folder, "audit.log");
    const file = await rotatingFile(path, options({ compress: true }));
    await file.append([line("aaaaaaaa"), line("bbbbbbbb")]);
    await file.close();
    const [zipped = ""] = (await readdir(folder)).filter((name) => name.endsWith(".gz"));
    assert.equal(gunzipSync(await readFile(join(folder, zipped))).toString(), "aaaaaaaa\n");
    const broken = options({ compress: true });
    await writeFile(join(folder, "audit-2020-01-01T00-00-00.000.log"), "x");
    await mkdir(join(folder, "audit-2020-01-01T00-00-00.000.log.gz", "full"), { recursive: true });
    const again = await rotatingFile(path, broken);
    await again.append([line("c")]);
    await again.close();
    assert.match(broken.reports.join(), /cannot tidy the old files/);
  }));

test("rotatingFile() fails lines on a full disk, and leaves no partial line", () =>
  inFolder(async (folder) => {
    const path = join(folder, "audit.log");
    let isFull = false;
    const file = await rotatingFile(
      path,
      options({
        maxBytes: 0,
        write: async (handle, bytes) => {
          await handle.write(isFull ? bytes.subarray(0, 3) : bytes);
          if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
        },
      }),
    );
    await file.append([line("first")]);
    isFull = true;
    const failed = await file.append([line("second"), line("third")]);
    assert.deepEqual([...failed.keys()], [0, 1]);
    assert.match(failed.get(0)!, /no space left/);
    assert.equal(await readFile(path, "utf8"), "first\nsec");
    isFull = false;
    assert.equal((await file.append([line("fourth")])).size, 0);
    await file.close();
    assert.equal(await readFile(path, "utf8"), "first\nfourth\n");
  }));
