/** The file of --admission-control-config-file: AdmissionConfiguration, with the settings of admission steps. */
import { dirname, isAbsolute, join } from "node:path";
import { matchResources, namedRule } from "../../core/admission/match-schema.ts";
import type { MatchResources } from "../../core/admission/matching.ts";
import { namespaceLifecycle, upstreamOrder } from "../../core/admission/order.ts";
import { validateMatchResources } from "../../core/admission/validate-match.ts";
import { defaulter } from "../../core/derive/apply-defaults.ts";
import { sortedText } from "../../core/derive/raw-json.ts";
import { fieldErrorText, required } from "../../core/field-error.ts";
import { nearest } from "../../core/nearest.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { anyJson, field, type Infer, type Json, list, string, struct } from "../../core/schema.ts";
import type { Admission, StepConfiguration } from "../../core/plugin.ts";
import { readJson } from "../../core/tree/json.ts";
import { TreeObject } from "../../core/tree/tree.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { decodeConfigObject, readConfigObject } from "../../core/config/config-object.ts";
import { type Fault, faultsOfFields, FaultyText, type Mistake } from "../../core/config/mistake.ts";
import { readWholeTextSync } from "../../protocols/files/bounded-files.ts";
import { configurationFileBytesMax } from "./bounds.ts";

/** The settings of steps. Plain data: the heavy thread gets a copy. */
export interface AdmissionConfiguration {
  /** By step: the requests for which it runs. A step without an entry runs for all. */
  readonly matchConstraints: ReadonlyMap<string, MatchResources>;
  /** By step: the kubeconfig file with the credentials for webhooks. */
  readonly kubeconfigs: ReadonlyMap<string, string>;
  /** By step: its own configuration, if the step has a kind of it. */
  readonly configurations: ReadonlyMap<string, unknown>;
}
export const noAdmissionConfiguration: AdmissionConfiguration = Object.freeze({
  matchConstraints: new Map(),
  kubeconfigs: new Map(),
  configurations: new Map(),
});

const PluginConfiguration = struct("AdmissionPluginConfiguration", {
  name: field(0, string, "Name of the step, such as DefaultStorageClass.", { written: "always" }),
  path: field(0, string, "File with the configuration of the step, relative to this file. Not together with `configuration`."),
  configuration: field(0, anyJson, "The configuration of the step.", { pointer: true }),
});
type PluginConfiguration = Infer<typeof PluginConfiguration>;
const Configuration = Object.freeze(
  {
    ...struct("AdmissionConfiguration", { plugins: field(0, list(PluginConfiguration), "The steps with settings.") }),
    typeMeta: true,
  } as const,
);
interface Configuration {
  readonly plugins?: readonly PluginConfiguration[];
}

const StepStruct = struct("AdmissionStepConfiguration", {
  matchConstraints: field(0, matchResources(struct, namedRule(struct)), "The requests for which the step runs.", { pointer: true }),
});
type MatchConfiguration = Infer<typeof StepStruct>;
const MatchConfiguration = Object.freeze({ ...StepStruct, typeMeta: true } as const);

const WebhookConfiguration = Object.freeze(
  {
    ...struct("WebhookAdmissionConfiguration", { kubeConfigFile: field(0, string, "Absolute path of a kubeconfig with credentials.") }),
    typeMeta: true,
  } as const,
);
interface WebhookConfiguration {
  readonly kubeConfigFile?: string;
}
const webhookSteps: ReadonlySet<string> = new Set(["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"]);

/** The file, and what the configuration in it is checked against. */
export interface AdmissionFile {
  readonly path: string;
  /** The steps of all plugins. */
  readonly steps: readonly Pick<Admission, "name" | "configuration">[];
  readonly groupDomain: string;
}

/** Reads the file and the files that it names; `path` "" is no configuration. Mistakes are added to `mistakes`. */
export function readAdmissionConfiguration(file: AdmissionFile, mistakes: Mistake[]): AdmissionConfiguration {
  if (file.path === "") return noAdmissionConfiguration;
  const matchConstraints = new Map<string, MatchResources>(), kubeconfigs = new Map<string, string>();
  const configurations = new Map<string, unknown>();
  const refuse = (what: string, error: unknown, faults: readonly Fault[], path = file.path) =>
    mistakes.push({
      text: `cannot use ${what}: ${reasonOf(error)}`,
      setting: "admission-control-config-file",
      ...(faults.length === 0 ? { faults: [{ text: `cannot use ${what}: ${reasonOf(error)}` }] } : { file: path, faults }),
    });
  (load(file, refuse).plugins ?? []).forEach((plugin, index) => {
    const what = `the configuration of the admission plugin "${plugin.name}" in "${file.path}"`, at = `plugins[${index}]`;
    try {
      checkName(plugin, file);
      const text = textOf(plugin, file);
      if (text === undefined) return;
      const own = file.steps.find(({ name }) => name === plugin.name)?.configuration;
      if (webhookSteps.has(plugin.name) && kindOf(text) !== "AdmissionStepConfiguration") {
        const kubeconfig = kubeconfigOf(text, file);
        if (kubeconfig !== "") kubeconfigs.set(plugin.name, kubeconfig);
      } else if (own !== undefined && kindOf(text) !== "AdmissionStepConfiguration") {
        configurations.set(plugin.name, ownOf(text, own, file));
      } else matchConstraints.set(plugin.name, matchOf(text, file));
    } catch (error) {
      if (!(error instanceof FaultyText)) refuse(what, error, [{ text: `${at}: ${reasonOf(error)}`, path: at }]);
      else if ((plugin.path ?? "") !== "") refuse(what, error, error.faults, pathOf(plugin.path!, file));
      else {refuse(
          what,
          error,
          error.faults.map(({ text, path }) => ({ text, path: `${at}.configuration${path === undefined ? "" : `.${path}`}` })),
        );}
    }
  });
  return { matchConstraints, kubeconfigs, configurations };
}

const pathOf = (path: string, file: AdmissionFile) => isAbsolute(path) ? path : join(dirname(file.path), path);

/** What could be read. `refuse` is called with the mistakes of the file as a whole. */
function load(
  { path, groupDomain }: AdmissionFile,
  refuse: (what: string, error: unknown, faults: readonly Fault[]) => void,
): Configuration {
  const what = `the admission configuration in "${path}"`;
  let text: string;
  try {
    text = readBounded(path);
  } catch (error) {
    refuse(what, error, []);
    return {};
  }
  const kind = { kind: "AdmissionConfiguration", group: `apiserver.config.${groupDomain}`, versions: ["v1", "v1alpha1"] };
  const { object = {}, error } = decodeConfigObject<Configuration>(text, { ...kind, schema: Configuration });
  if (error !== undefined) refuse(what, error, error.faults);
  return object;
}

function checkName({ name }: PluginConfiguration, { steps }: AdmissionFile): void {
  if (name === namespaceLifecycle) throw new Error("it has no configuration; it can be disabled");
  const names = steps.map((step) => step.name);
  if (names.includes(name) || upstreamOrder.includes(name)) return;
  const near = nearest(name, names);
  throw new Error(`unknown admission plugin${near === undefined ? "" : `: did you mean "${near}"?`} (there are: ${names.join(", ")})`);
}

/** The text of a step's configuration; undefined if it has none, or if this server does not have the step. */
function textOf({ name, path = "", configuration }: PluginConfiguration, file: AdmissionFile): string | undefined {
  if (path !== "" && configuration !== undefined) throw new Error("it has a path and a configuration: only one of them is allowed");
  if (!file.steps.some((step) => step.name === name) && !webhookSteps.has(name)) return undefined;
  if (configuration !== undefined) return sortedText(configuration as Json); // decoded as JSON
  return path === "" ? undefined : readBounded(pathOf(path, file));
}

/** The kind of a configuration in JSON or YAML; undefined if it cannot be read. */
function kindOf(text: string): unknown {
  const read = text.trimStart().startsWith("{") ? readJson(text) : readYaml(new TextEncoder().encode(text));
  return read.ok && read.tree instanceof TreeObject ? read.tree.get("kind") : undefined;
}

/** The configuration of a step in its own kind. */
function ownOf(text: string, { schema, validate, older = [], ...preferred }: StepConfiguration, { groupDomain }: AdmissionFile): unknown {
  const spelled = ({ kind, group, versions }: Pick<StepConfiguration, "kind" | "group" | "versions">) => ({
    kind,
    group: group.replace("{domain}", groupDomain),
    versions,
  });
  const { object, error } = decodeConfigObject<unknown>(text, {
    ...spelled(preferred),
    older: older.map(spelled),
    schema: preferred.kind === "" ? schema : { ...schema, typeMeta: true as const },
  });
  const errors = object === undefined ? [] : validate?.(object) ?? [];
  if (error !== undefined) throw error.and(faultsOfFields(errors));
  if (errors.length > 0) throw new FaultyText(errors.map(fieldErrorText).join(", "), faultsOfFields(errors));
  return object;
}

function kubeconfigOf(text: string, { groupDomain }: AdmissionFile): string {
  const { kubeConfigFile = "" } = readConfigObject<WebhookConfiguration>(text, {
    kind: "WebhookAdmissionConfiguration",
    group: `apiserver.config.${groupDomain}`,
    versions: ["v1"],
    schema: WebhookConfiguration,
  });
  if (kubeConfigFile !== "" && !isAbsolute(kubeConfigFile)) throw new Error(`kubeConfigFile "${kubeConfigFile}" is not an absolute path`);
  return kubeConfigFile;
}

const withDefaults = defaulter(StepStruct);

function matchOf(text: string, { groupDomain }: AdmissionFile): MatchResources {
  const { object, error } = decodeConfigObject<MatchConfiguration>(text, {
    kind: "AdmissionStepConfiguration",
    group: `apiserver.config.${groupDomain}`,
    versions: ["v1"],
    schema: MatchConfiguration,
  });
  const { matchConstraints } = object === undefined ? {} : withDefaults(object, () => false);
  const errors = object === undefined
    ? []
    : matchConstraints === undefined
    ? [required("matchConstraints", "")]
    : validateMatchResources(matchConstraints, "matchConstraints");
  if (error !== undefined) throw error.and(faultsOfFields(errors));
  if (errors.length > 0) throw new FaultyText(errors.map(fieldErrorText).join(", "), faultsOfFields(errors));
  return matchConstraints!; // Without an error there are some.
}

function readBounded(path: string): string {
  return readWholeTextSync(path, configurationFileBytesMax);
}
