/** The admission step PodTolerationRestriction: the taints that the pods of a namespace tolerate, and those that they may tolerate. */
import { type Admission, field, type FieldError, type Infer, list, StatusError, struct } from "../../../plugin.ts";
import type { RequestHookContext } from "../../../plugin.ts";
import { spell, type StepConfiguration } from "../../../toolbox.ts";
import { Toleration } from "../../shared/pod/affinity.ts";
import { tolerationsOfJson } from "../../shared/pod/tolerations-json.ts";
import { areIncluded, mergeTolerations } from "../../shared/pod/tolerations.ts";
import { validateTolerations } from "../../shared/pod/validate-scheduling.ts";
import type { Pod } from "../pod-schema.ts";
import { pods } from "../pod.ts";
import { qualityOfService } from "../quality-of-service.ts";
import { namespaceOf } from "./namespace-of.ts";

const Configuration = struct("Configuration", {
  default: field(0, list(Toleration), "Tolerations of new pods in namespaces without the annotation `defaultTolerations`."),
  whitelist: field(
    0,
    list(Toleration),
    "What pods may tolerate in namespaces without the annotation `tolerationsWhitelist`. Empty: everything.",
  ),
}, { package: "", doc: "The configuration of PodTolerationRestriction." });
type Configuration = Infer<typeof Configuration>;

const configuration: StepConfiguration<Configuration> = {
  kind: "Configuration",
  group: "podtolerationrestriction.admission.{domain}",
  versions: ["v1alpha1"],
  schema: Configuration,
  validate: (given): readonly FieldError[] => [
    ...validateTolerations(given.default ?? [], "default"),
    ...validateTolerations(given.whitelist ?? [], "whitelist"),
  ],
};

const name = "PodTolerationRestriction";
const annotations = {
  default: "scheduler.alpha.kubernetes.io/defaultTolerations",
  whitelist: "scheduler.alpha.kubernetes.io/tolerationsWhitelist",
};

/** As upstream, which takes these reasons for faults of the server. */
const fault = (text: string) => new StatusError("Unknown", text, { code: 500 });

/** What the namespace says in an annotation; undefined if it has none. */
async function ofNamespace(key: keyof typeof annotations, context: RequestHookContext): Promise<readonly Toleration[] | undefined> {
  const { metadata } = await namespaceOf(context), { annotations: given = {} } = metadata;
  if (!Object.hasOwn(given, annotations[key])) return undefined;
  const text = given[annotations[key]]!;
  const read = text === "" ? [] : tolerationsOfJson(text, "v1");
  if (typeof read === "string") throw fault(read);
  return read;
}

function settingsOf(context: RequestHookContext): Configuration {
  return (context.configuration(name) ?? {}) as Configuration; // validated
}

async function check({ spec: { tolerations = [] } }: Pod, context: RequestHookContext): Promise<undefined> {
  if (tolerations.length === 0) return;
  const own = await ofNamespace("whitelist", context), allowed = own ?? settingsOf(context).whitelist ?? [];
  if (allowed.length === 0 || context.request.bounded(() => areIncluded(tolerations, allowed))) return;
  const scope = own === undefined ? "cluster" : "namespace";
  throw fault(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`);
}

/** Adds the tolerations of the namespace to a new pod, and rejects a pod that tolerates more than the namespace allows. Off by default. */
export const podTolerationRestriction: Admission<Pod> = {
  name,
  isOptional: true,
  resources: [pods],
  configuration,
  async mutate(next, prior, context) {
    if (context.subresource !== "") return next;
    const { names, gates } = context, { tolerations = [] } = next.spec;
    const defaults = prior !== undefined ? [] : await ofNamespace("default", context) ?? settingsOf(context).default ?? [];
    const pressure: Toleration = { key: spell(names, "node.{platform}.io/memory-pressure"), operator: "Exists", effect: "NoSchedule" };
    const added = qualityOfService(next.spec, gates) === "BestEffort" ? defaults : [...defaults, pressure];
    const merged = added.length === 0 ? tolerations : context.request.bounded(() => mergeTolerations([...tolerations, ...added]));
    const changed = added.length === 0 ? next : { ...next, spec: { ...next.spec, tolerations: merged } };
    await check(changed, context);
    return changed;
  },
  refuse: (next, _prior, context) => context.subresource === "" ? check(next, context) : undefined,
};
