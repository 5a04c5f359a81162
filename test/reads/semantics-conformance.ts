/** Every cell of the table of resourceVersion semantics, as a test for get, list and watch. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { StatusError } from "../../core/status-error.ts";
import type { Revision } from "../../kernel/store/store.ts";
import { type Answer, asked, type Cell, cells, listAnswer, watchAnswer } from "./semantics.ts";
import { type Fixture, get, list, put, startWatch, summaries } from "./fixture.ts";

/** `a` and `b` at N, `c` and `m` later; everything before N is compacted. */
interface Scene {
  readonly fixture: Fixture;
  readonly revisions: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, string>>;
  /** Names and revisions of all writes since N. */
  readonly since: { name: string; revision: Revision }[];
}

export interface SemanticsFixtures {
  /** Opens the fixture that writes the scene. */
  readonly open: () => Promise<Fixture>;
  /** Opens the fixture that reads the scene while the first stays open; undefined: the first one. */
  readonly reopen?: (written: Fixture) => Promise<Fixture>;
  /** Whether the cache is never filled. */
  readonly filling?: boolean;
}

const initializing = { code: 429, message: "storage is (re)initializing" };

export function semanticsConformance(name: string, { open, reopen, filling = false }: SemanticsFixtures): void {
  describe(`resourceVersion semantics, ${name}`, () => {
    let written: Fixture | undefined;
    let scene: Scene | undefined;
    const opened = (): Scene => scene ?? assert.fail("the scene is not set");
    before(async () => {
      written = await open();
      const directly = await scenery(written);
      scene = reopen === undefined ? directly : { ...directly, fixture: await reopen(written) };
    });
    after(async () => {
      if (scene?.fixture !== written) await scene?.fixture.close();
      await written?.close();
    });

    for (const resourceVersion of asked.resourceVersion) {
      test(`get resourceVersion=${resourceVersion}`, () => proveGet(opened(), resourceVersion));
    }
    for (const cell of cells()) test(`list ${shown(cell)}`, () => proveList(opened(), cell, filling));
    for (const cell of cells()) {
      // Limits have no effect on watches; one value of the limit covers that.
      if (cell.limit !== "0") test(`watch ${shown(cell)}`, () => proveWatch(opened(), cell, filling));
    }
  });
}

async function scenery(fixture: Fixture): Promise<Scene> {
  const old = await put(fixture, "a");
  await put(fixture, "b");
  const expired = (await list(fixture, "limit=1")).page.continue;
  const n = await put(fixture, "b", { mood: "sad" });
  await fixture.store.compact(n);
  const token = (await list(fixture, "limit=1")).page.continue;
  const since: { name: string; revision: Revision }[] = [];
  for (const name of ["c", "m"]) since.push({ name, revision: await put(fixture, name) });
  await list(fixture);
  return {
    fixture,
    revisions: { "": "", "0": "0", old: `${old}`, N: `${n}`, future: "999999999999" },
    tokens: { "": "", token, expired, nonsense: "!!!" },
    since,
  };
}

function shown(cell: Cell): string {
  return Object.entries(cell).filter(([, value]) => value !== "").map(([key, value]) => `${key}=${value}`).join("&");
}

function queryOf({ revisions, tokens }: Scene, cell: Cell): string {
  const said = { ...cell, resourceVersion: revisions[cell.resourceVersion]!, continue: tokens[cell.continue]! };
  return Object.entries(said).filter(([, value]) => value !== "").map(([key, value]) => `${key}=${value}`).join("&");
}

async function refusedBy(act: () => Promise<unknown>, { code, message }: { code: number; message: string }): Promise<void> {
  const error = await act().then(() => assert.fail(`not rejected with ${code}`), (error: unknown) => error);
  assert.ok(error instanceof StatusError, `${error}`);
  assert.deepEqual([error.code, error.message.slice(0, message.length)], [code, message]);
  if (code === 422) assert.equal(error.message, message);
}

async function proveGet({ fixture, revisions }: Scene, resourceVersion: string): Promise<void> {
  const text = revisions[resourceVersion]!;
  if (resourceVersion === "future") {
    return await refusedBy(() => get(fixture, "b", text), {
      code: 504,
      message: `Timeout: Too large resource version: ${text}, current: `,
    });
  }
  assert.equal(`${(await get(fixture, "b", text))?.revision}`, revisions.N);
}

async function proveList(scene: Scene, cell: Cell, filling: boolean): Promise<void> {
  const { fixture, revisions } = scene;
  const act = () => list(fixture, queryOf(scene, cell));
  const answer = listAnswer(cell);
  // Chunks are answered by the store while the cache is being filled. Invalid options are rejected first, except errors of the read itself.
  const isRead = "meaning" in answer || answer.code === 410 || answer.code === 504;
  if (filling && isRead && cell.limit !== "1") return await refusedBy(act, initializing);
  if (!("meaning" in answer)) return await refusedBy(act, answer);
  const { names, page } = await act();
  // A list at version 0 is served whole from memory.
  const limited = cell.limit === "1" && (filling || cell.resourceVersion !== "0");
  const all = { newest: "abcm", any: "abcm", "not older": "abcm", exact: "ab", continue: "b" }[answer.meaning as string] ?? assert.fail();
  assert.deepEqual(names, [...(limited ? all.slice(0, 1) : all)]);
  const left = all.length - names.length;
  assert.deepEqual([page.continue !== "", page.remaining], [left > 0, left > 0 ? left : undefined]);
  if (answer.meaning === "exact" || answer.meaning === "continue") assert.equal(`${page.revision}`, revisions.N);
  else assert.ok(page.revision >= scene.since.at(-1)!.revision || answer.meaning === "any");
}

async function proveWatch(scene: Scene, cell: Cell, filling: boolean): Promise<void> {
  const { fixture, since } = scene;
  const act = () => startWatch(fixture, `allowWatchBookmarks=1&${queryOf(scene, cell)}`);
  const answer: Answer = watchAnswer(cell);
  if ("code" in answer && answer.code === 422) return await refusedBy(act, answer);
  if (filling) return await refusedBy(act, initializing);
  const watch = await act();
  if (!("meaning" in answer)) {
    await watch.ended;
    const [event] = watch.events;
    assert.deepEqual([watch.events.length, event?.type, event?.object.code], [1, "ERROR", answer.code]);
    return assert.equal(event?.object.message?.slice(0, answer.message.length), answer.message);
  }
  const before = {
    "state, then changes": ["ADDED a", "ADDED b", "ADDED c", "ADDED m", "BOOKMARK "],
    "changes after": cell.resourceVersion === "future" ? [] : ["ADDED c", "ADDED m", ...since.slice(2).map(() => "MODIFIED m")],
    "changes from now on": [],
  }[answer.meaning as string] ?? assert.fail();
  await watch.has(before.length);
  assert.deepEqual(watch.events.slice(0, before.length).map((event) => summaries([event])[0]?.replace(/ \d+$/, "")), before);
  if (cell.resourceVersion === "future") return void assert.deepEqual(await watch.stop(), []);
  // A watch of later changes has begun once it has an event; it has no earlier ones.
  do since.push({ name: "m", revision: await put(fixture, "m", { data: { round: `${since.length}` } }) }); while (
    watch.events.length === before.length && (await list(fixture), answer.meaning === "changes from now on")
  );
  await watch.reached(since.at(-1)!.revision);
  const later = (await watch.stop()).slice(before.length);
  assert.ok(later.every(({ type, object }) => type === "MODIFIED" && object.metadata.name === "m"), summaries(later).join());
  assert.deepEqual(summaries(later).map((text) => Number(text.split(" ")[2])), since.slice(-later.length).map(({ revision }) => revision));
}
