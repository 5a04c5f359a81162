import assert from "node:assert/strict";
import { test } from "node:test";
import { defaults } from "../config/settings.ts";
import { silentLog } from "../observe/log.ts";
import { openMetrics } from "./open-metrics.ts";

/** What a server of a release writes after it has counted its objects, under the old name and the new. */
async function written(release: string, flags: Partial<typeof defaults> = {}): Promise<string> {
  const { record, text } = openMetrics({ ...defaults, ...flags }, silentLog, release);
  record.objectsByName.with({ resource: "configmaps" }).set(3);
  record.objects.with({ group: "", resource: "configmaps" }).set(3);
  return await text();
}
const hiddenOf = (text: string) => Number(/^hidden_metrics_total (\d+)$/m.exec(text)![1]);

test("openMetrics() shows, hides and drops a deprecated metric release by release, and counts those that are hidden", async () => {
  const shown = /^apiserver_storage_objects\{/m;
  for (const release of ["1.33", "1.34", "1.36"]) {
    const text = await written(release);
    assert.match(text, shown, release);
    assert.equal(hiddenOf(text), 0, release);
  }
  assert.match(await written("1.35"), /^# HELP apiserver_storage_objects \[STABLE\] \(Deprecated since 1\.34\.0\)/m);
  const hidden = await written("1.37");
  assert.doesNotMatch(hidden, shown);
  assert.equal(hiddenOf(hidden), 1);
  assert.match(await written("1.37", { "show-hidden-metrics-for-version": "1.36" }), shown);
  const gone = await written("1.38", { "show-hidden-metrics-for-version": "1.37" });
  assert.doesNotMatch(gone, shown);
  assert.equal(hiddenOf(gone), 0);
  assert.match(gone, /^apiserver_resource_objects\{/m, "what takes its place stays");
});
