/** The helm programs of this machine, and their renderings of the chart. */
import assert from "node:assert/strict";
import { accessSync, constants, readdirSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { jsonFromTree } from "../../core/tree/values.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { run } from "../real-server.ts";

export const chart = fileURLToPath(new URL("../../charts/thole", import.meta.url));

/** `helm`, `helm3`, `helm4`: each program on PATH once. */
export function helms(): readonly string[] {
  const found = new Map<string, string>();
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of ["helm", "helm3", "helm4"]) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        const real = realpathSync(join(folder, name));
        if (!found.has(real)) found.set(real, join(folder, name));
      } catch { /* Not installed. */ }
    }
  }
  return [...found.values()];
}

/** The reason to skip tests that need Helm, or false. */
export function helmMissing(): string | false {
  return helms().length === 0 && "no helm, helm3 or helm4 on PATH";
}

/** The values files with which the chart is tested. */
export function ciFiles(): readonly string[] {
  return readdirSync(join(chart, "ci")).filter((name) => name.endsWith("-values.yaml")).toSorted();
}

/** A Kubernetes object as a chart renders it. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // deno-lint-ignore no-explicit-any
  readonly [field: string]: any; // Tests access known members, and fail for missing ones.
}

export const release = "demo";
export const namespace = "thole-system";

/** The output of `helm template` with these arguments; rejects with its error. */
export async function template(helm: string, ...args: readonly string[]): Promise<string> {
  // A Helm that was built without release flags reports an old version.
  const fixed = ["template", release, chart, "--namespace", namespace, "--kube-version", "1.35.0"];
  const { code, output, errors } = await run(helm, [...fixed, ...args]);
  assert.equal(code, 0, errors);
  return output;
}

/** The objects in a text of YAML documents. A duplicate key is an error, because clients differ in which one counts. */
export function documentsOf(text: string): readonly Rendered[] {
  return text.split(/^---$/m).map((document) => document.trim()).filter((document) => document.replaceAll(/^#.*$/gm, "").trim() !== "").map(
    (document) => {
      const read = readYaml(document);
      assert.ok(read.ok, `${read.ok ? "" : read.error}\n${document}`);
      assert.deepEqual(read.duplicates, [], document);
      return jsonFromTree(read.tree) as unknown as Rendered; // Values of other types fail the check of their kind.
    },
  );
}

/** As above, with lookups in the cluster of a kubeconfig. */
export async function renderIn(kubeconfig: string, helm: string, ...args: readonly string[]): Promise<readonly Rendered[]> {
  return documentsOf(await template(helm, "--dry-run=server", "--disable-openapi-validation", "--kubeconfig", kubeconfig, ...args));
}

export async function render(helm: string, ...args: readonly string[]): Promise<readonly Rendered[]> {
  return documentsOf(await template(helm, ...args));
}

/** The only object of that kind and name; throws an AssertionError otherwise. */
export function the(objects: readonly Rendered[], kind: string, name: string): Rendered {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name);
  assert.equal(found.length, 1, `${found.length} of ${kind} ${name}`);
  return found[0]!;
}
