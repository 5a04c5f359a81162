/** The admission step PodNodeSelector: the labels of the nodes on which the pods of a namespace run. */
import {
  type Admission,
  field,
  type FieldError,
  forbiddenError,
  type Infer,
  invalid,
  record,
  StatusError,
  string,
  struct,
} from "../../../plugin.ts";
import type { RequestHookContext } from "../../../plugin.ts";
import type { StepConfiguration } from "../../../toolbox.ts";
import { fieldErrorText } from "../../../core/field-error.ts";
import { labelValue, qualifiedName } from "../../../toolbox.ts";
import type { Pod } from "../pod-schema.ts";
import { pods } from "../pod.ts";
import { namespaceOf } from "./namespace-of.ts";

type Labels = Readonly<Record<string, string>>;

const annotation = "scheduler.alpha.kubernetes.io/node-selector", ofCluster = "clusterDefaultNodeSelector";

const Configuration = struct("PodNodeSelectorConfiguration", {
  podNodeSelectorPluginConfig: field(
    0,
    record(string),
    "Labels by namespace, such as `a=b,c=d`: those that its pods may select. clusterDefaultNodeSelector: those of namespaces without an annotation.",
  ),
}, { package: "", doc: "The configuration of PodNodeSelector." });
type Configuration = Infer<typeof Configuration>;

/** Reads `a=b,c=d`. Returns the labels, or why the text is wrong. */
export function labelsIn(text: string): { readonly labels: Labels } | { readonly error: string } {
  if (text === "") return { labels: {} };
  const labels: Record<string, string> = {};
  for (const part of text.split(",")) {
    const pair = part.split("=");
    if (pair.length !== 2) return { error: `invalid selector: [${pair.join(" ")}]` };
    const [key, value] = pair.map((each) => each.trim()) as [string, string]; // there are two
    const wrongKey = qualifiedName(key), wrongValue = labelValue(value);
    if (wrongKey.length > 0) return { error: fieldErrorText(invalid("<nil>", key, wrongKey.join("; "))) };
    if (wrongValue.length > 0) return { error: fieldErrorText(invalid(`[${key}]`, value, wrongValue.join("; "))) };
    labels[key] = value;
  }
  return { labels };
}

const configuration: StepConfiguration<Configuration> = {
  kind: "",
  group: "",
  versions: [],
  schema: Configuration,
  validate: ({ podNodeSelectorPluginConfig = {} }) =>
    Object.entries(podNodeSelectorPluginConfig).flatMap(([name, text]): readonly FieldError[] => {
      const read = labelsIn(text);
      return "error" in read ? [invalid(`podNodeSelectorPluginConfig[${name}]`, text, read.error)] : [];
    }),
};

function configured(key: string, context: RequestHookContext): string {
  const { podNodeSelectorPluginConfig: selectors = {} } = (context.configuration(name) ?? {}) as Configuration; // validated
  return Object.hasOwn(selectors, key) ? selectors[key]! : "";
}

function labelsOf(text: string): Labels {
  const read = labelsIn(text);
  // As upstream, which takes this for a fault of the server.
  if ("error" in read) throw new StatusError("Unknown", read.error, { code: 500 });
  return read.labels;
}

/** The labels that the namespace demands. The annotation wins over the configuration. */
async function demanded(context: RequestHookContext): Promise<Labels> {
  const { metadata: { annotations = {} } } = await namespaceOf(context);
  return labelsOf(Object.hasOwn(annotations, annotation) ? annotations[annotation]! : configured(ofCluster, context));
}

const name = "PodNodeSelector";

/** Why the pod cannot have these labels. */
function reasonAgainst({ spec: { nodeSelector = {} } }: Pod, labels: Labels, context: RequestHookContext): string | undefined {
  const has = (of: Labels, key: string, value: string) => Object.hasOwn(of, key) && of[key] === value;
  if (Object.entries(labels).some(([key, value]) => Object.hasOwn(nodeSelector, key) && nodeSelector[key] !== value)) {
    return "pod node label selector conflicts with its namespace node label selector";
  }
  const allowed = labelsOf(configured(context.request.namespace, context));
  const isAllowed = Object.keys(allowed).length === 0 || Object.entries(nodeSelector).every(([key, value]) => has(allowed, key, value));
  return isAllowed ? undefined : "pod node label selector labels conflict with its namespace whitelist";
}

/** New pods get the node selector of their namespace, and select nothing else than it allows. Off by default. */
export const podNodeSelector: Admission<Pod> = {
  name,
  isOptional: true,
  resources: [pods],
  configuration,
  async mutate(next, prior, context) {
    if (prior !== undefined || context.subresource !== "") return next;
    const labels = await demanded(context), nodeSelector = { ...labels, ...next.spec.nodeSelector };
    const changed = Object.keys(nodeSelector).length === 0 ? next : { ...next, spec: { ...next.spec, nodeSelector } };
    const conflict = reasonAgainst(next, labels, context) ?? reasonAgainst(changed, labels, context);
    if (conflict !== undefined) throw forbiddenError({ group: "", name: "pods" }, next.metadata.name ?? "", conflict);
    return changed;
  },
  async refuse(next, prior, context) {
    return prior === undefined && context.subresource === "" ? reasonAgainst(next, await demanded(context), context) : undefined;
  },
};
