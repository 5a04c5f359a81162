import { type Admission, type ApiObject, forbiddenError, type RequestHookContext } from "../../plugin.ts";
import { type PriorityClass, priorityClasses } from "./priority-class.ts";

const groupVersion = "scheduling.{domain}/v1", resource = "priorityclasses";

/** The class with this name. */
async function classOf(name: string, { read }: RequestHookContext): Promise<PriorityClass | undefined> {
  return await read.get(groupVersion, resource, "", name) as PriorityClass | undefined; // the type of the resource; the same holds below
}

/** The class of pods without one; of several, that with the lowest value. */
async function defaultClass({ read }: RequestHookContext): Promise<PriorityClass | undefined> {
  const classes = await read.list(groupVersion, resource, "") as readonly PriorityClass[];
  return classes.filter(({ globalDefault }) => globalDefault === true).toSorted((a, b) => a.value - b.value)[0];
}

/** The members of a pod that the step reads and sets. */
interface Pod extends ApiObject {
  readonly spec: {
    readonly priorityClassName?: string;
    readonly priority?: number;
    readonly preemptionPolicy?: "Never" | "PreemptLowerPriority";
  };
}

/** A new pod gets the priority of its class, and one without a class that of the default. An update keeps what it leaves out. */
async function prioritize(next: Pod, prior: Pod | undefined, context: RequestHookContext): Promise<Pod> {
  if (prior !== undefined) {
    const { priority = prior.spec.priority, preemptionPolicy = prior.spec.preemptionPolicy } = next.spec;
    return {
      ...next,
      spec: {
        ...next.spec,
        ...(priority === undefined ? {} : { priority }),
        ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
      },
    };
  }
  const refuse = (why: string) =>
    forbiddenError({ group: "", name: "pods" }, next.metadata.name || next.metadata.generateName || "Unknown", why);
  const { priorityClassName: name = "", priority, preemptionPolicy } = next.spec;
  const found = await (name === "" ? defaultClass(context) : classOf(name, context));
  if (found === undefined && name !== "") throw refuse(`no PriorityClass with name ${name} was found`);
  const value = found?.value ?? 0, policy = found === undefined ? "PreemptLowerPriority" : found.preemptionPolicy;
  const computed = "must not be provided in pod spec; priority admission controller computed";
  if (priority !== undefined && priority !== value) {
    throw refuse(`the integer value of priority (${priority}) ${computed} ${value} from the given PriorityClass name`);
  }
  if (policy !== undefined && preemptionPolicy !== undefined && preemptionPolicy !== policy) {
    throw refuse(`the string value of PreemptionPolicy (${preemptionPolicy}) ${computed} ${policy} from the given PriorityClass name`);
  }
  return {
    ...next,
    spec: {
      ...next.spec,
      ...(found === undefined ? {} : { priorityClassName: found.metadata.name! }), // stored objects have names
      priority: value,
      ...(policy === undefined ? {} : { preemptionPolicy: policy }),
    },
  };
}

/** Rejects a second class that is the default. */
async function reasonAgainst(
  next: PriorityClass,
  prior: PriorityClass | undefined,
  context: RequestHookContext,
): Promise<string | undefined> {
  if (next.globalDefault !== true) return undefined;
  const present = await defaultClass(context);
  if (present === undefined || (prior !== undefined && present.metadata.name === next.metadata.name)) return undefined;
  return `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`;
}

/** Gives pods their priority, and keeps at most one class the default. */
export const priorityAdmission: Admission = {
  name: "Priority",
  resources: [priorityClasses, "pods"],
  mutate: (next, prior, context) => next.kind === "Pod" && context.subresource === "" ? prioritize(next, prior, context) : next,
  refuse: (next, prior, context) => next.kind === "PriorityClass" ? reasonAgainst(next, prior, context) : undefined,
};
