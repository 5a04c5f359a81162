import assert from "node:assert/strict";
import { test } from "node:test";
import { defaults } from "../config/settings.ts";
import { silentLog } from "../../kernel/observe/log.ts";
import { openMetrics } from "./open-metrics.ts";

/** The metrics of a release after a count of its objects, under the old and the new name. */
async function written(release: string, flags: Partial<typeof defaults> = {}): Promise<string> {
  const { record, text } = openMetrics({ ...defaults, ...flags }, silentLog, release);
  record.objectsByName.with({ resource: "configmaps" }).set(3);
  record.objects.with({ group: "", resource: "configmaps" }).set(3);
  return await text();
}
const hiddenOf = (text: string) => Number(/^hidden_metrics_total (\d+)$/m.exec(text)![1]);

test("openMetrics() shows, hides and removes a deprecated metric release by release, and counts hidden ones", async () => {
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
  assert.match(gone, /^apiserver_resource_objects\{/m, "the replacement stays");
});

test("openMetrics() follows the emulated release", async () => {
  const of = async (emulated: string, hidden = "") => {
    const config = { ...defaults, "emulated-version": [emulated], "show-hidden-metrics-for-version": hidden };
    const { record, text } = openMetrics(config, silentLog);
    record.objectsByName.with({ resource: "configmaps" }).set(3);
    return (await text()).split("\n").find((line) => line.startsWith("# HELP apiserver_storage_objects"));
  };
  const help = "Stored objects at the last count. Replaced by apiserver_resource_objects.";
  assert.equal(await of("1.33"), `# HELP apiserver_storage_objects [STABLE] ${help}`);
  assert.equal(await of("1.34", "1.33"), `# HELP apiserver_storage_objects [STABLE] (Deprecated since 1.34.0) ${help}`);
  await assert.rejects(of("1.34", "1.34"), /must be omitted or have the value '1\.33'/);
});
