// Values and flags are one table: the chart's settings are those of server/config/settings.ts.
// In Deno's suite only: it checks what Helm renders.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseArguments } from "../../server/config/parse.ts";
import { settings } from "../../server/config/settings.ts";
import { chartOwned, settingsDefaults, withSettings, withSettingsSchema } from "../../scripts/chart-settings.ts";
import { valuesOf, withIcon, withValues } from "../../scripts/chart-page.ts";
import { chart, documentsOf } from "./helm.ts";

const values = readFileSync(join(chart, "values.yaml"), "utf8");
const schema = readFileSync(join(chart, "values.schema.json"), "utf8");
const [given] = documentsOf(values);

test("values.yaml, values.schema.json and the defaults that are not rendered are generated from the settings table", () => {
  assert.equal(values, withSettings(values), "npm run chart:settings updates them");
  assert.equal(schema, withSettingsSchema(schema), "npm run chart:settings updates them");
  assert.equal(readFileSync(join(chart, "files/defaults.json"), "utf8"), settingsDefaults(), "npm run chart:settings updates them");
});

test("the values differ from the flags' defaults only where a pod needs another one", () => {
  const defaults = JSON.parse(settingsDefaults()) as Readonly<Record<string, unknown>>; // `as`: the generated table
  const all: Readonly<Record<string, unknown>> = { ...given!["settings"], ...given!["liveSettings"] };
  const different = Object.keys(all).filter((name) => JSON.stringify(all[name]) !== JSON.stringify(defaults[name]));
  assert.deepEqual(different, ["bind-address", "shutdown-delay-duration"]);
  // What is left out of the configuration file counts as given there.
  const configOf = (file: string) => {
    const parsed = parseArguments(["--config=thole.yaml"], () => file);
    assert.ok(!parsed.help);
    return parsed.config;
  };
  const live = Object.keys(given!["liveSettings"]).map((name) => [name, defaults[name]] as const);
  assert.deepEqual(configOf("{}"), configOf(JSON.stringify(Object.fromEntries(live))));
});

test("no template makes a token of system:masters unless its value is set, and the value is off", () => {
  assert.equal(given!["authentication"].tokens.admin, false);
  const templates = readdirSync(join(chart, "templates"), { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const masters = templates.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
    .flatMap((text) => text.split("\n").flatMap((line, at, lines) => line.includes("system:masters") ? [lines[at - 1]!.trim()] : []));
  assert.deepEqual(masters, ["{{- if $tokens.admin }}"]);
});

test("the README of the chart and its icon are generated", () => {
  const page = readFileSync(join(chart, "README.md"), "utf8"), file = readFileSync(join(chart, "Chart.yaml"), "utf8");
  assert.equal(page, withValues(page, values), "npm run chart:settings updates it");
  assert.equal(
    file,
    withIcon(file, readFileSync(join(chart, "../../docs/pictures/icon.svg"), "utf8")),
    "npm run chart:settings updates it",
  );
  const { path, standard, meaning } = valuesOf(values).find((each) => each.path === "store.external.tlsSecret")!;
  assert.deepEqual([path, standard, meaning], [path, '""', "Secret with ca.crt, tls.crt and tls.key for connections to etcd."]);
});

test("the annotations of the chart name the images of its values", () => {
  const [manifest] = documentsOf(readFileSync(join(chart, "Chart.yaml"), "utf8"));
  const { image, etcd } = given!;
  const [listed] = documentsOf(manifest!["annotations"]["artifacthub.io/images"]) as unknown as [readonly { readonly image: string }[]];
  assert.deepEqual(listed.map((each) => each.image), [
    `${image.repository}:${manifest!["appVersion"]}`,
    `${etcd.image.repository}:${etcd.image.tag}`,
  ]);
});

test("every flag is exactly one of a setting, a live setting and a flag that the chart sets itself", () => {
  const named = [...Object.keys(given!["settings"]), ...Object.keys(given!["liveSettings"]), ...Object.keys(chartOwned)];
  assert.deepEqual(named.toSorted(), Object.keys(settings).toSorted());
});

test("the templates contain every flag that the chart sets itself", () => {
  const helpers = readFileSync(join(chart, "templates/_helpers.tpl"), "utf8");
  const flags = new Set([...helpers.matchAll(/^- --([a-z-]+)=/gm)].map(([, name]) => name));
  assert.deepEqual([...flags].filter((name) => !Object.hasOwn(chartOwned, name!)), []);
  const unset = ["cert-dir", "test-control"]; // Their defaults are the only values that a pod can have.
  assert.deepEqual(Object.keys(chartOwned).filter((name) => !unset.includes(name) && !flags.has(name)), []);
});

test("the live settings are a valid configuration file", () => {
  const file = JSON.stringify({ ...given!["liveSettings"], plugins: ["cluster"], "feature-gates": { WatchList: false } });
  const parsed = parseArguments(["--config=thole.yaml"], () => file);
  assert.ok(!parsed.help);
  assert.deepEqual([parsed.config.plugins, [...parsed.config["feature-gates"]]], [["cluster"], [["WatchList", false]]]);
});

test("every value of values.yaml is in the schema", () => {
  // `as`: both files are part of the repository.
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
