import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { invalid } from "../../core/field-error.ts";
import { field, string, struct } from "../../core/schema.ts";
import { type Mistake, textOf } from "../../core/config/mistake.ts";
import { type AdmissionConfiguration, readAdmissionConfiguration } from "./admission-configuration.ts";

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n";
const rule = '{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: ["*"]}';
const step = (constraints: string) =>
  `{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionStepConfiguration, matchConstraints: ${constraints}}`;

/** The configuration of a step in its own kind, which had another name before. */
const own = {
  older: [{ kind: "Configuration", group: "older.{domain}", versions: ["v1beta1", "v1alpha1"] }],
  kind: "OwnConfiguration",
  group: "own.{domain}",
  versions: ["v1"],
  schema: struct("OwnConfiguration", { level: field(0, string, "Level.") }, { package: "" }),
  validate: ({ level }: { readonly level?: string }) => level === "x" ? [invalid("level", level, "must be another one")] : [],
};

/** The configuration of a file with this text, or its mistakes, without the name of the folder. */
async function read(text: string, others: Readonly<Record<string, string>> = {}): Promise<AdmissionConfiguration | readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "thole-admission-"));
  try {
    for (const [name, content] of Object.entries({ "file.yaml": text, ...others })) await writeFile(join(folder, name), content);
    const mistakes: Mistake[] = [];
    const steps = [
      { name: "DefaultStorageClass" },
      { name: "Mine" },
      { name: "Own", configuration: own },
      ...(others["plain"] === undefined ? [] : [{ name: "Plain", configuration: { ...own, kind: "", group: "", versions: [] } }]),
    ];
    const found = readAdmissionConfiguration({ path: join(folder, "file.yaml"), steps, groupDomain: "k8s.io" }, mistakes);
    return mistakes.length === 0 ? found : mistakes.map((mistake) => textOf(mistake).replaceAll(`${folder}/`, ""));
  } finally {
    await rm(folder, { recursive: true });
  }
}
const configured = async (text: string, others?: Readonly<Record<string, string>>) => await read(text, others) as AdmissionConfiguration;

test("a step gets its match rules, with the defaults of MatchResources", async () => {
  const { matchConstraints } = await configured(`${head}- name: Mine\n  configuration: ${step(`{resourceRules: [${rule}]}`)}\n`);
  assert.deepEqual(matchConstraints.get("Mine"), {
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["*"], scope: "*" }],
  });
});

test("a configuration may be in a file of its own, beside the first one", async () => {
  const { matchConstraints } = await configured(`${head}- name: Mine\n  path: mine.yaml\n`, {
    "mine.yaml": "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionStepConfiguration\n" +
      "matchConstraints: {namespaceSelector: {matchLabels: {a: b}}}\n",
  });
  assert.deepEqual(matchConstraints.get("Mine")?.namespaceSelector, { matchLabels: { a: "b" } });
});

test("webhooks get the kubeconfig with their credentials", async () => {
  const configuration = "{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /etc/webhooks}";
  const { kubeconfigs } = await configured(`${head}- name: ValidatingAdmissionWebhook\n  configuration: ${configuration}\n`);
  assert.deepEqual([...kubeconfigs], [["ValidatingAdmissionWebhook", "/etc/webhooks"]]);
});

test("settings of plugins that only kube-apiserver has are not read", async () => {
  const { matchConstraints, kubeconfigs } = await configured(`${head}- name: PodSecurity\n  configuration: {anything: 1}\n`);
  assert.equal(matchConstraints.size + kubeconfigs.size, 0);
});

test("every mistake is reported with the file and the plugin", async () => {
  const of = (name: string) => `cannot use the configuration of the admission plugin "${name}" in "file.yaml": `;
  assert.deepEqual(
    await read(
      `${head}- name: Mines\n- name: NamespaceLifecycle\n- name: Mine\n  configuration: ${step("{resourceRules: [{apiGroups: [a]}]}")}\n` +
        `- name: DefaultStorageClass\n  path: absent\n- name: MutatingAdmissionWebhook\n  configuration: {kind: A, apiVersion: v1}\n`,
    ).then((mistakes) => (mistakes as readonly string[]).map((mistake) => mistake.replace(/, (?:stat|open) .*/, ""))),
    [
      `${of("Mines")}unknown admission plugin: did you mean "Mine"? (there are: DefaultStorageClass, Mine, Own)`,
      `${of("NamespaceLifecycle")}it has no configuration; it can be disabled`,
      `${
        of("Mine")
      }matchConstraints.resourceRules[0].operations: Required value, matchConstraints.resourceRules[0].apiVersions: Required value, ` +
      "matchConstraints.resourceRules[0].resources: Required value",
      `${of("DefaultStorageClass")}ENOENT: no such file or directory`,
      `${
        of("MutatingAdmissionWebhook")
      }no kind "A" is registered for version "v1": expected WebhookAdmissionConfiguration in apiserver.config.k8s.io/v1`,
    ],
  );
  assert.deepEqual(await read("kind: AdmissionConfiguration\n"), [
    `cannot use the admission configuration in "file.yaml": Object 'apiVersion' is missing: expected apiserver.config.k8s.io/v1`,
  ]);
});

test("a step gets the configuration of its own kind, in JSON or YAML, after its rules have accepted it", async () => {
  const text = "{apiVersion: own.k8s.io/v1, kind: OwnConfiguration, level: a}", entry = `${head}- name: Own\n`;
  const { configurations } = await configured(`${entry}  configuration: ${text}\n`);
  assert.equal((configurations.get("Own") as any).level, "a");
  const inFile = await configured(`${entry}  path: own.yaml\n`, {
    "own.yaml": "apiVersion: own.k8s.io/v1\nkind: OwnConfiguration\nlevel: b\n",
  });
  assert.equal((inFile.configurations.get("Own") as any).level, "b");
  assert.deepEqual(await read(`${entry}  configuration: ${text.replace("a}", "x}")}\n`), [
    'cannot use the configuration of the admission plugin "Own" in "file.yaml": level: Invalid value: "x": must be another one',
  ]);
  const narrowed = await configured(`${entry}  configuration: ${step(`{resourceRules: [${rule}]}`)}\n`);
  assert.deepEqual([narrowed.configurations.size, narrowed.matchConstraints.size], [0, 1]);
});

test("older kinds of a configuration are accepted, and others are answered with all of them", async () => {
  const of = (kind: string, version: string) =>
    read(`${head}- name: Own\n  configuration: {apiVersion: ${version}, kind: ${kind}, level: a}\n`);
  for (const version of ["older.k8s.io/v1beta1", "older.k8s.io/v1alpha1"]) {
    assert.equal(((await of("Configuration", version)) as AdmissionConfiguration).configurations.size, 1);
  }
  assert.deepEqual(await of("Configuration", "own.k8s.io/v1"), [
    'cannot use the configuration of the admission plugin "Own" in "file.yaml": no kind "Configuration" is registered for version "own.k8s.io/v1": ' +
    "expected OwnConfiguration in own.k8s.io/v1 or Configuration in older.k8s.io/v1beta1, older.k8s.io/v1alpha1",
  ]);
});

test("a configuration without a kind is checked by its fields", async () => {
  const of = (text: string) => read(`${head}- name: Plain\n  path: plain\n`, { plain: text });
  assert.deepEqual(((await of("level: a\n")) as AdmissionConfiguration).configurations.get("Plain"), { level: "a" });
  const at = 'cannot use the configuration of the admission plugin "Plain" in "file.yaml": ';
  assert.deepEqual(await of("levels: a\n"), [`${at}strict decoding error: unknown field "levels"`]);
  assert.deepEqual(await of("- a\n"), [`${at}expected an object`]);
});
