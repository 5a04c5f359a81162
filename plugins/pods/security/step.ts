/** The admission step `PodSecurity` (KEP-2579): pods keep to the levels that the labels of their namespace demand. */
import type { Admission, ApiObject, RequestHookContext } from "../../../plugin.ts";
import { goQuote, invalidError, type OwnerReference, pause, spell, systemClock } from "../../../toolbox.ts";
import { bound } from "../../../core/bound.ts";
import type { PodTemplateSpec } from "../../shared/pod/pod-spec.ts";
import type { Pod } from "../pod-schema.ts";
import { configuration, type PodSecuritySettings, settingsOf } from "./configuration.ts";
import {
  compareLevels,
  isEquivalent,
  isFullyPrivileged,
  isSame,
  type LabelledPolicy,
  levelText,
  type LevelVersion,
  modes,
  type Policy,
  policyOf,
  prefix,
} from "./levels.ts";
import { countEvaluation, countExemption, countWrongLabels, type Evaluated } from "./metrics.ts";
import { detailsText, violationsOf } from "./policy.ts";

/** Maximum number of existing pods that are checked when the level of a namespace rises. */
export const existingPodsMax = bound(3_000);
/** Number of pods after which other requests have their turn. */
const podsPerTurn = 250;

/** Kinds with a template of pods, and where it is. */
const templates: Readonly<Record<string, (object: any) => PodTemplateSpec | undefined>> = {
  podtemplates: ({ template }) => template,
  ...Object.fromEntries(
    ["replicationcontrollers", "replicasets.apps", "deployments.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch"]
      .map((name) => [name, ({ spec }: { spec?: { template?: PodTemplateSpec } }) => spec?.template]),
  ),
  "cronjobs.batch": ({ spec }) => spec?.jobTemplate?.spec?.template,
};

type Labels = Readonly<Record<string, string>>;

/** What the evaluation of a request has to know. */
interface Evaluation extends Evaluated {
  readonly settings: PodSecuritySettings;
}

const newestOf = ({ release }: RequestHookContext): number => Number(release.slice(release.indexOf(".") + 1));

function annotate({ names, annotate: add }: RequestHookContext, key: string, value: string): void {
  add(spell(names, prefix) + key, value);
}

function labelled(labels: Labels | undefined, { context: { names }, settings }: Evaluation): LabelledPolicy {
  return policyOf(labels, settings.defaults, names);
}

/** Whether the namespace, the user or the runtime class of a pod is exempt. The audit event names the reason. */
function isExempt(list: readonly string[], value: string | undefined, reason: string, evaluation: Evaluation): boolean {
  if (value === undefined || value === "" || !list.includes(value)) return false;
  annotate(evaluation.context, "exempt", reason);
  countExemption(evaluation);
  return true;
}

/** Evaluates a pod, or the template of pods, which is never rejected. */
async function evaluate(
  namespace: string,
  find: () => PodTemplateSpec | undefined,
  enforces: boolean,
  evaluation: Evaluation,
): Promise<string | undefined> {
  const { context, settings } = evaluation;
  if (isExempt(settings.namespaces, namespace, "namespace", evaluation)) return undefined;
  if (isExempt(settings.usernames, context.caller.name, "user", evaluation)) return undefined;
  const object = await context.server.recentObject("v1", "namespaces", "", namespace);
  const { policy, errors } = labelled(object?.metadata.labels, evaluation);
  if (errors.length === 0 && isFullyPrivileged(policy)) {
    if (enforces) {
      annotate(context, "enforce-policy", levelText(policy.enforce));
      countEvaluation("allow", policy.enforce, "enforce", newestOf(context), evaluation);
    }
    return undefined;
  }
  const quiet = policy.warn.level === "privileged" && policy.audit.level === "privileged";
  if (!enforces && errors.length === 0 && quiet) return undefined;
  const pod = find();
  if (pod === undefined || isExempt(settings.runtimeClasses, pod.spec.runtimeClassName, "runtimeClass", evaluation)) return undefined;
  if (errors.length > 0) {
    annotate(context, "error", `Failed to parse policy: ${errorsText(errors)}`);
    countWrongLabels(evaluation);
  }
  return verdictOf(pod, policy, enforces, evaluation);
}

function errorsText(errors: LabelledPolicy["errors"]): string {
  const texts = errors.map(({ path, value, detail }) => `${path}: Invalid value: ${goQuote(String(value))}: ${detail}`);
  return texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`;
}

function verdictOf(pod: PodTemplateSpec, policy: Policy, enforces: boolean, evaluation: Evaluation): string | undefined {
  const { context } = evaluation, newest = newestOf(context);
  const of = (level: LevelVersion) => {
    const found = violationsOf(level, pod, context.names, newest);
    return found.length === 0 ? undefined : `violate PodSecurity ${goQuote(levelText(level))}: ${detailsText(found)}`;
  };
  if (enforces) annotate(context, "enforce-policy", levelText(policy.enforce));
  const audited = of(policy.audit);
  if (audited !== undefined) {
    annotate(context, "audit-violations", `would ${audited}`);
    countEvaluation("deny", policy.audit, "audit", newest, evaluation);
  }
  const enforced = enforces ? of(policy.enforce) : undefined;
  if (enforces) countEvaluation(enforced === undefined ? "allow" : "deny", policy.enforce, "enforce", newest, evaluation);
  if (enforced !== undefined) return enforced.replace(/^violate/, "violates");
  const warned = of(policy.warn);
  if (warned !== undefined) {
    context.warn(`would ${warned}`);
    countEvaluation("deny", policy.warn, "warn", newest, evaluation);
  }
  return undefined;
}

/** Whether an update changes more than labels: it adds a container, or gives one another image. */
function isSignificant({ spec: next }: Pod, { spec: prior }: Pod): boolean {
  for (const key of ["containers", "initContainers"] as const) {
    const containers = next[key] ?? [], old = prior[key] ?? [];
    if (containers.length !== old.length || containers.some(({ image }, i) => image !== old[i]!.image)) return true;
  }
  const old = new Map((prior.ephemeralContainers ?? []).map((each) => [each.name, each]));
  return (next.ephemeralContainers ?? []).some(({ name, image }) => !old.has(name) || old.get(name)!.image !== image);
}

const checkedSubresources: readonly string[] = ["", "ephemeralcontainers", "resize"];

/** Checks the labels of a namespace. If its level rises, warns about the pods that are in it. */
async function checkNamespace(next: ApiObject, prior: ApiObject | undefined, evaluation: Evaluation): Promise<void> {
  const { context, settings } = evaluation, { name = "", labels } = next.metadata;
  const { policy, errors } = labelled(labels, evaluation), before = prior && labelled(prior.metadata.labels, evaluation);
  const isOld = before !== undefined && errors.length > 0 && errorsText(errors) === errorsText(before.errors);
  if (errors.length > 0 && !isOld) throw invalidError({ group: "", name: "Namespace" }, name, errors);
  if (before !== undefined) {
    const { enforce } = policy, { enforce: old } = before.policy;
    if (isSame(enforce, old) || enforce.level === "privileged") return;
    if (enforce.version === old.version && compareLevels(enforce.level, old.level) < 1) return;
  }
  if (settings.namespaces.includes(name)) {
    const text = exemptText(name, policy, labels, evaluation);
    if (text !== undefined) context.warn(text);
  } else if (before !== undefined) { for (const text of await warningsOfPods(name, policy.enforce, evaluation)) context.warn(text); }
}

function exemptText(name: string, policy: Policy, labels: Labels = {}, { context, settings }: Evaluation): string | undefined {
  if (isFullyPrivileged(policy) || isEquivalent(policy, settings.defaults)) return undefined;
  const label = (key: string) => Object.hasOwn(labels, spell(context.names, prefix) + key);
  const ignored = modes.filter((mode) => policy[mode].level !== "privileged" && (label(mode) || label(`${mode}-version`)))
    .map((mode) => `${mode}=${levelText(policy[mode])}`);
  return `namespace ${goQuote(name)} is exempt from Pod Security, and the policy (${ignored.join(", ")}) will be ignored`;
}

/** One pod of each controller first: the others have the same template. */
function prioritized(pods: readonly Pod[], { settings }: Evaluation): readonly Pod[] {
  const first: Pod[] = [], others: Pod[] = [], controllers = new Set<string>();
  for (const pod of pods) {
    if (settings.runtimeClasses.includes(pod.spec.runtimeClassName ?? "")) continue;
    const { uid } = (pod.metadata.ownerReferences ?? []).find(({ controller }: OwnerReference) => controller === true) ?? {};
    if (uid !== undefined && controllers.has(uid)) others.push(pod);
    else {
      first.push(pod);
      if (uid !== undefined) controllers.add(uid);
    }
  }
  return [...first, ...others];
}

const never = new AbortController().signal;

/** Warnings about the pods of a namespace that would not be admitted: one for each reason, with the number of pods. */
async function warningsOfPods(namespace: string, enforce: LevelVersion, evaluation: Evaluation): Promise<readonly string[]> {
  const { context } = evaluation;
  const pods = prioritized(await context.server.recent("v1", "pods", namespace) as readonly Pod[], evaluation); // the type of the resource
  const reasons = new Map<string, string[]>(), checked = pods.slice(0, existingPodsMax);
  for (const [i, pod] of checked.entries()) {
    if (i % podsPerTurn === podsPerTurn - 1) await pause(0, never, systemClock);
    const violations = violationsOf(enforce, pod, context.names, newestOf(context));
    if (violations.length === 0) continue;
    const reason = violations.map((each) => each.reason).join(", ");
    reasons.set(reason, [...reasons.get(reason) ?? [], pod.metadata.name!]); // stored objects have names
  }
  const texts = [...reasons].map(([reason, names]) => {
    const [first] = names.toSorted((a, b) => a < b ? -1 : 1), others = names.length - 1;
    return `${first}${others === 0 ? "" : ` (and ${others} other pod${others === 1 ? "" : "s"})`}: ${reason}`;
  });
  const level = goQuote(levelText(enforce));
  return [
    ...(checked.length < pods.length
      ? [`new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`]
      : []),
    ...(texts.length === 0 ? [] : [`existing pods in namespace ${goQuote(namespace)} violate the new PodSecurity enforce level ${level}`]),
    ...texts.sort((a, b) => a < b ? -1 : 1),
  ];
}

export const podSecurity: Admission = {
  name: "PodSecurity",
  resources: ["namespaces", "pods", ...Object.keys(templates)],
  configuration,
  async refuse(next, prior, context) {
    const { resource: { group, plural }, subresource } = context,
      evaluation = { context, isUpdate: prior !== undefined, settings: settingsOf(context.configuration("PodSecurity")) };
    const name = group === "" ? plural : `${plural}.${group}`, { namespace = "" } = next.metadata;
    if (name === "pods") {
      const counts = checkedSubresources.includes(subresource) && (prior === undefined || isSignificant(next, prior));
      return counts ? await evaluate(namespace, () => next, true, evaluation) : undefined;
    }
    if (subresource !== "") return undefined;
    if (name === "namespaces") return void await checkNamespace(next, prior, evaluation);
    return await evaluate(namespace, () => templates[name]?.(next), false, evaluation);
  },
};
