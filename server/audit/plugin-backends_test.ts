// The bounds of a plugin's audit backend: the time that it may take, and the events that wait for it.
// In Deno's suite only: it uses nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditBackend } from "../../core/audit/backend.ts";
import { defaultNames } from "../../core/names.ts";
import { type ManualClock, manualClock } from "../../core/test-clock.ts";
import { eventOf, losses, settled } from "../../test/audit/events.ts";
import { openPluginBackends, pluginBackendMs, pluginEventsWaitingMax } from "./plugin-backends.ts";

/** A backend that never answers, as the server opens it. */
async function silent(
  blocks?: true,
): Promise<{ readonly backend: AuditBackend; readonly texts: readonly string[]; readonly clock: ManualClock }> {
  const clock = manualClock(), { lost, texts } = losses();
  const part = () => ({ names: defaultNames }) as any; // of its context only the names are read
  const own: AuditBackend = { process: () => new Promise(() => {}), close: () => Promise.resolve() };
  const definition = { name: "silent", summary: "It never answers.", ...(blocks === undefined ? {} : { blocks }), open: () => own };
  const [backend] = await openPluginBackends([definition], { part, lost, clock });
  return { backend: backend!, texts, clock };
}

test("a backend that blocks has its time; then its event is lost and the request goes on", async () => {
  const { backend, texts, clock } = await silent(true);
  let outcome: boolean | undefined;
  void Promise.resolve(backend.process([eventOf("a")])).then((done) => outcome = done);
  clock.advance(pluginBackendMs - 1);
  await settled();
  assert.deepEqual([outcome, texts], [undefined, []]);
  clock.advance(1);
  await settled();
  assert.equal(outcome, true);
  assert.match(texts.join(), /no answer within 10000 ms/);
});

test("events beyond those that may wait are lost", async () => {
  const { backend, texts } = await silent();
  const events = (count: number) => Array.from({ length: count }, (_, index) => eventOf(String(index)));
  await backend.process(events(pluginEventsWaitingMax));
  assert.deepEqual(texts, []);
  await backend.process(events(pluginEventsWaitingMax));
  assert.match(texts.join(), /audit buffer queue blocked/);
});
