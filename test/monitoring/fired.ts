/** Whether an alert of the chart fires on a server's metrics before and after a cause, as scraped by Prometheus. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../real-server.ts";

export interface Shown {
  readonly alert: string;
  /** Text of /metrics before and after the cause; `before` is empty if the cause exists from the start. */
  readonly before: string;
  readonly after: string;
  /** Number of occurrences of the cause per minute; default 1. */
  readonly timesMinute?: number;
  /** Factor of gauges, for values that a test cannot make large enough. */
  readonly scale?: number;
}

const minutes = 120;

interface Samples {
  readonly types: ReadonlyMap<string, string>;
  /** Values by name and labels. */
  readonly values: ReadonlyMap<string, number>;
}

function samplesOf(text: string): Samples {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
  const values = new Map(
    [...text.matchAll(/^([a-z_][a-z0-9_]*(?:\{.*\})?) (\S+)$/gm)].map(([, series = "", value]) => [series, Number(value)]),
  );
  return { types, values };
}
const nameOf = (series: string) => series.replace(/\{.*$/, "");
const isGauge = ({ types }: Samples, series: string) => types.get(nameOf(series)) === "gauge";

/** Series of the metrics in `names` in promtool's form: counters continue at their rate, gauges are constant. */
function seriesOf(from: Samples, to: Samples, names: ReadonlySet<string>, { timesMinute = 1, scale = 1 }: Partial<Shown>) {
  return [...to.values].filter(([series]) => names.has(nameOf(series))).map(([series, value]) => {
    const [name, labels = ""] = [nameOf(series), series.slice(nameOf(series).length + 1, -1)];
    const all = [labels, 'job="thole"', 'namespace="a"', 'instance="s1"'].filter((each) => each !== "").join(",");
    // Prometheus' tests start in 1970.
    const shown = name.endsWith("_timestamp_seconds") ? value - Date.now() / 1000 : value * scale;
    const step = isGauge(to, series) ? 0 : (value - (from.values.get(series) ?? 0)) * timesMinute;
    return { series: `${name}{${all}}`, values: `${isGauge(to, series) ? shown : value}${step < 0 ? "" : "+"}${step}x${minutes}` };
  });
}

/**
 * Fails if the cause changes none of the alert's metrics or, with promtool, if the alert does not fire with the cause, or fires without it.
 */
export async function assertFires(
  shown: Shown,
  metrics: ReadonlySet<string>,
  rules: readonly object[],
  hasPromtool: boolean,
): Promise<void> {
  const { alert } = shown;
  const before = samplesOf(shown.before), after = samplesOf(shown.after);
  const moved = [...after.values].filter(([series, value]) => metrics.has(nameOf(series)) && before.values.get(series) !== value);
  assert.ok(moved.length > 0, `${alert}: nothing that it goes by has changed`);
  if (!hasPromtool) return;
  const folder = await mkdtemp(join(tmpdir(), "thole-alerts-"));
  try {
    const firing = `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`;
    const at = (expected: readonly object[]) => [{ expr: firing, eval_time: `${minutes - 10}m`, exp_samples: expected }];
    const quiet = shown.before === "" ? [] : [{
      name: "before",
      interval: "1m",
      input_series: seriesOf(before, before, metrics, {}),
      promql_expr_test: at([]),
    }];
    // Only these rules: promtool needs ten times as long for all.
    const file = join(folder, "test.json"), rulesFile = join(folder, "rules.json");
    await writeFile(rulesFile, JSON.stringify({ groups: [{ name: "alone", rules }] }));
    const loud = {
      name: "after",
      interval: "1m",
      input_series: seriesOf(before, after, metrics, shown),
      promql_expr_test: at([{ labels: "{}", value: 1 }]),
    };
    await writeFile(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests: [...quiet, loud] }));
    const tried = await run("promtool", ["test", "rules", file], { cwd: folder });
    assert.equal(tried.code, 0, `${alert}: ${tried.output}${tried.errors}`.slice(0, 4000));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
