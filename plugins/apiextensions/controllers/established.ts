/** Keeps the conditions of definitions (upstream: apiextensions-apiserver `controller/status`, `establish`, `apiapproval`, `nonstructuralschema`). */
import { type Api, type Controller, type Names, runWorkQueue, StatusError } from "../../../plugin.ts";
import { isTrue } from "../condition.ts";
import { statusWithApproval } from "../conditions/approval.ts";
import { statusEstablished } from "../conditions/established.ts";
import { statusWithNames, usedNames } from "../conditions/names.ts";
import { statusWithNonStructural } from "../conditions/non-structural.ts";
import { type CustomResourceDefinition, type DefinitionStatus, groupVersion } from "../schema.ts";
import { now, resource, withConditions } from "./definitions.ts";

export const establishing: Controller = {
  name: "custom-resource-establishing",
  // The program that sets these conditions upstream.
  fieldManager: "kube-apiserver",
  needs: [{ resource, groupVersions: [groupVersion] }],
  async run(context, signal) {
    const { api, names } = context;
    const known = new Map<string, CustomResourceDefinition>();
    const work = (name: string) => evaluate(api, name, known, names);
    await runWorkQueue({ context, signal, work }, async (queue, until) => {
      for await (const { type, object } of api.watch(groupVersion, resource, "", {}, until)) {
        const definition = withConditions(object), name = definition.metadata.name ?? "";
        if (type === "DELETED") known.delete(name);
        else known.set(name, definition);
        queue.add(name);
        // Another definition of the group may now use the free names.
        const group = name.slice(name.indexOf(".") + 1);
        for (const other of known.values()) {
          if (other.spec.group === group && !isTrue(other.status.conditions, "NamesAccepted")) queue.add(other.metadata.name ?? "");
        }
      }
    });
  },
};

/** Updates the conditions of a definition from its contents and the names of the others. */
async function evaluate(api: Api, name: string, known: Map<string, CustomResourceDefinition>, names: Names): Promise<void> {
  const definition = known.get(name);
  if (definition === undefined) return;
  const status = statusOf(definition, known.values(), names);
  if (status === definition.status) return;
  try {
    const updated = await api.update(groupVersion, resource, "", name, { ...definition, status }, { subresource: "status" });
    // The next definition must see the accepted names of this one.
    if (known.get(name) === definition) known.set(name, withConditions(updated));
  } catch (error) {
    // The change of a definition has an event of its own, which queues it again.
    if (!(error instanceof StatusError) || (error.reason !== "Conflict" && error.reason !== "NotFound")) throw error;
  }
}

/** The status after all steps, in upstream's order; the same value if nothing changes. */
function statusOf(definition: CustomResourceDefinition, all: Iterable<CustomResourceDefinition>, names: Names): DefinitionStatus {
  const time = now();
  const steps: readonly ((next: CustomResourceDefinition) => DefinitionStatus | undefined)[] = [
    (next) => statusWithNames(next, usedNames(all, next.spec.group), time),
    (next) => statusEstablished(next, time),
    (next) => statusWithApproval(next, names, time),
    (next) => statusWithNonStructural(next, time),
  ];
  return steps.reduce((status, step) => step({ ...definition, status }) ?? status, definition.status);
}
