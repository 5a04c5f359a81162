/** Keeps the conditions of definitions (upstream: apiextensions-apiserver `controller/status`, `establish`, `apiapproval`, `nonstructuralschema`). */
import { type Api, type Controller, runWorkQueue, StatusError } from "../../../plugin.ts";
import { type Names, timestampOf } from "../../../toolbox.ts";
import { type ConditionNews, conditionOf, isTrue } from "../condition.ts";
import { statusWithApproval } from "../conditions/approval.ts";
import { statusEstablished } from "../conditions/established.ts";
import { statusWithNames, usedNames } from "../conditions/names.ts";
import { nonStructuralCondition, statusWithNonStructural } from "../conditions/non-structural.ts";
import { type CustomResourceDefinition, type DefinitionStatus, groupVersion } from "../schema.ts";
import { resource, withConditions } from "./definitions.ts";

export const establishing: Controller = {
  name: "custom-resource-establishing",
  isRequired: true,
  // The name of the program that sets these conditions in upstream.
  fieldManager: "kube-apiserver",
  needs: [{ resource, groupVersions: [groupVersion] }],
  async run(context, signal) {
    const { api, clock, names } = context;
    const known = new KnownDefinitions();
    const work = (name: string) => evaluate(api, name, known, names, clock.now());
    await runWorkQueue({ context, signal, work }, async (queue, until) => {
      for await (const { type, object } of api.watch(groupVersion, resource, "", {}, until)) {
        const definition = withConditions(object), name = definition.metadata.name ?? "";
        if (type === "DELETED") known.delete(name);
        else known.set(name, definition);
        queue.add(name);
        // Other definitions of the group may now use names that have become free.
        for (const other of known.ofGroup(groupOf(name))) {
          if (!isTrue(other.status.conditions, "NamesAccepted")) queue.add(other.metadata.name ?? "");
        }
      }
    });
  },
};

/** Updates the conditions of a definition from its contents and the names of the others. */
async function evaluate(api: Api, name: string, known: KnownDefinitions, names: Names, now: number): Promise<void> {
  const definition = known.get(name);
  if (definition === undefined) return;
  const status = statusOf(definition, known.ofGroup(definition.spec.group), known.nonStructural(name), names, timestampOf(now));
  if (status === definition.status) return;
  try {
    const updated = await api.update(groupVersion, resource, "", name, { ...definition, status }, { subresource: "status" });
    // The next definition must see the names that this one has accepted.
    if (known.get(name) === definition) known.set(name, withConditions(updated));
  } catch (error) {
    // If the definition was changed, its event queues it again.
    if (!(error instanceof StatusError) || (error.reason !== "Conflict" && error.reason !== "NotFound")) throw error;
  }
}

/** Returns the status after all steps, in upstream's order. Returns the same value if nothing changes. */
function statusOf(
  definition: CustomResourceDefinition,
  ofGroup: Iterable<CustomResourceDefinition>,
  nonStructural: ConditionNews | undefined,
  names: Names,
  time: string,
): DefinitionStatus {
  const steps: readonly ((next: CustomResourceDefinition) => DefinitionStatus | undefined)[] = [
    (next) => statusWithNames(next, usedNames(ofGroup, next.spec.group), time),
    (next) => statusEstablished(next, time),
    (next) => statusWithApproval(next, names, time),
    (next) => statusWithNonStructural(next, nonStructural, time),
  ];
  return steps.reduce((status, step) => step({ ...definition, status }) ?? status, definition.status);
}

/** Returns the group of a definition, from its name. */
function groupOf(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

/** The definitions that the watch has delivered, by group, with the results that depend on their specs only. */
export class KnownDefinitions {
  readonly #groups = new Map<string, Map<string, CustomResourceDefinition>>();
  readonly #structural = new Map<string, { readonly spec: string; readonly news: ConditionNews | undefined }>();
  readonly #check: typeof nonStructuralCondition;

  constructor(check: typeof nonStructuralCondition = nonStructuralCondition) {
    this.#check = check;
  }

  get(name: string): CustomResourceDefinition | undefined {
    return this.#groups.get(groupOf(name))?.get(name);
  }
  set(name: string, definition: CustomResourceDefinition): void {
    const group = groupOf(name), members = this.#groups.get(group) ?? new Map<string, CustomResourceDefinition>();
    this.#groups.set(group, members.set(name, definition));
  }
  delete(name: string): void {
    const members = this.#groups.get(groupOf(name));
    members?.delete(name);
    if (members?.size === 0) this.#groups.delete(groupOf(name));
    this.#structural.delete(name);
  }
  ofGroup(group: string): Iterable<CustomResourceDefinition> {
    return this.#groups.get(group)?.values() ?? [];
  }
  /**
   * Returns the condition NonStructuralSchema of a definition. Schemas are checked once for each generation of the spec. Those of an
   * established definition without the condition were checked before it was established, and validation admits no others since.
   */
  nonStructural(name: string): ConditionNews | undefined {
    const definition = this.get(name);
    if (definition === undefined) return undefined;
    const { conditions } = definition.status;
    if (isTrue(conditions, "Established") && conditionOf(conditions, "NonStructuralSchema") === undefined) return undefined;
    const { uid = "", generation = 0 } = definition.metadata, spec = `${uid} ${generation}`;
    const before = this.#structural.get(name);
    if (before?.spec === spec) return before.news;
    const news = this.#check(definition);
    this.#structural.set(name, { spec, news });
    return news;
  }
}
