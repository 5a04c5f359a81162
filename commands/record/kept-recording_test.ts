// Where a recording is when it cannot be written to its place.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { givePlaceUp, keepRecording, reservePlace } from "./kept-recording.ts";

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-kept-recording-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
const documents = () => ["---\na: 1\n", "---\nb: 2\n"], text = "---\na: 1\n---\nb: 2\n";

test("keepRecording() writes to the place, which has no file before, for its owner only", () =>
  inFolder(async (folder) => {
    const to = join(folder, "a.yaml"), place = await reservePlace(to), said: string[] = [];
    assert.equal(existsSync(to), false);
    assert.deepEqual(await keepRecording(place, join(folder, "elsewhere"), documents, (line) => said.push(line)), { path: to });
    assert.equal(await readFile(to, "utf8"), text);
    assert.equal((await stat(to)).mode & 0o777, 0o600);
    assert.deepEqual([await readdir(folder), said], [["a.yaml"], []]);
  }));

test("keepRecording() does not overwrite a file that came meanwhile: the recording stays beside it", () =>
  inFolder(async (folder) => {
    const to = join(folder, "a.yaml"), place = await reservePlace(to);
    await writeFile(to, "another's");
    const kept = await keepRecording(place, join(folder, "elsewhere"), documents, assert.fail);
    assert.equal(kept?.path, `${to}.partial`);
    assert.match(kept?.problem ?? "", /exists, and is not overwritten/);
    assert.deepEqual([await readFile(to, "utf8"), await readFile(`${to}.partial`, "utf8")], ["another's", text]);
  }));

test("keepRecording() writes elsewhere if the folder of the place is gone, nowhere if that is, and can be called again", () =>
  inFolder(async (folder) => {
    const home = join(folder, "home"), other = join(folder, "other"), said: string[] = [], say = (line: string) => void said.push(line);
    await mkdir(home);
    const place = await reservePlace(join(home, "a.yaml")), elsewhere = join(other, "b.yaml");
    await rename(home, `${home}-moved`);
    assert.equal(await keepRecording(place, elsewhere, documents, say), undefined);
    assert.deepEqual(said.map((line) => /^cannot write (.*?): /.exec(line)?.[1]), [`${home}/a.yaml.partial`, elsewhere]);
    await mkdir(other);
    const kept = await keepRecording(place, elsewhere, documents, say);
    assert.deepEqual([kept?.path, await readFile(elsewhere, "utf8")], [elsewhere, text]);
    assert.match(kept?.problem ?? "", /ENOENT|No such file/);
    await rename(`${home}-moved`, home);
    assert.deepEqual(await keepRecording(place, elsewhere, documents, say), { path: place.path });
    assert.equal(await readFile(place.path, "utf8"), text);
  }));

test("keepRecording() leaves no part of a recording when its documents cannot be made", () =>
  inFolder(async (folder) => {
    const place = await reservePlace(join(folder, "a.yaml")), said: string[] = [];
    function* broken(): Generator<string> {
      yield "---\na: 1\n";
      throw new Error("no more");
    }
    assert.equal(await keepRecording(place, join(folder, "b.yaml"), broken, (line) => said.push(line)), undefined);
    assert.deepEqual([await readdir(folder), said.length], [[], 2]);
  }));

test("reservePlace() rejects a file that exists, and one that another records to", () =>
  inFolder(async (folder) => {
    const to = join(folder, "a.yaml"), place = await reservePlace(to);
    await assert.rejects(reservePlace(to), /a\.yaml\.partial" exists/);
    await givePlaceUp(place);
    assert.deepEqual(await readdir(folder), []);
    await writeFile(to, "");
    await assert.rejects(reservePlace(to), /a\.yaml" exists/);
    await assert.rejects(reservePlace(join(folder, "none", "a.yaml")), { code: "ENOENT" });
  }));
