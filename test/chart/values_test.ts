// Values and flags are one table: what the chart offers is what kernel/config/settings.ts has.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseArguments } from "../../kernel/config/parse.ts";
import { settings } from "../../kernel/config/settings.ts";
import { chartOwned, withSettings, withSettingsSchema } from "../../scripts/chart-settings.ts";
import { chart, documentsOf } from "./helm.ts";

const values = readFileSync(join(chart, "values.yaml"), "utf8");
const schema = readFileSync(join(chart, "values.schema.json"), "utf8");
const [given] = documentsOf(values);

test("values.yaml and values.schema.json follow the table of settings", () => {
  assert.equal(values, withSettings(values), "npm run chart:settings writes them anew");
  assert.equal(schema, withSettingsSchema(schema), "npm run chart:settings writes them anew");
});

test("every flag is a setting, a live setting or given by the chart itself, and is that once", () => {
  const named = [...Object.keys(given!["settings"]), ...Object.keys(given!["liveSettings"]), ...Object.keys(chartOwned)];
  assert.deepEqual(named.toSorted(), Object.keys(settings).toSorted());
});

test("every flag that the chart gives itself stands in its templates", () => {
  const helpers = readFileSync(join(chart, "templates/_helpers.tpl"), "utf8");
  const flags = new Set([...helpers.matchAll(/^- --([a-z-]+)=/gm)].map(([, name]) => name));
  assert.deepEqual([...flags].filter((name) => !Object.hasOwn(chartOwned, name!)), []);
  assert.deepEqual(Object.keys(chartOwned).filter((name) => name !== "cert-dir" && !flags.has(name)), []);
});

test("the live settings are a configuration file that the server takes", () => {
  const file = JSON.stringify({ ...given!["liveSettings"], plugins: ["cluster"], "feature-gates": { WatchList: false } });
  const parsed = parseArguments(["--config=thole.yaml"], () => file);
  assert.ok(!parsed.help);
  assert.deepEqual([parsed.config.plugins, [...parsed.config["feature-gates"]]], [["cluster"], [["WatchList", false]]]);
});

test("every value of values.yaml has its place in the schema", () => {
  // `as`: both files are ours.
  type Schema = { readonly properties?: Readonly<Record<string, Schema>>; readonly additionalProperties?: unknown };
  const unplaced = (value: unknown, of: Schema, path: string): readonly string[] => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || of.properties === undefined) return [];
    const { properties } = of;
    return Object.entries(value).flatMap(([name, each]) =>
      properties[name] === undefined ? [`${path}.${name}`] : unplaced(each, properties[name], `${path}.${name}`)
    );
  };
  assert.deepEqual(unplaced(given, JSON.parse(schema) as Schema, "values"), []);
});
