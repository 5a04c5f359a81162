/** Accepts the names of definitions and establishes them (upstream: apiextensions-apiserver `controller/status`, `controller/establish`). */
import { type Api, type Controller, runWorkQueue, StatusError } from "../../../plugin.ts";
import { isTrue } from "../conditions/condition.ts";
import { conditionsOf } from "../conditions/evaluate.ts";
import { type CustomResourceDefinition, groupVersion } from "../schema.ts";

const resource = "customresourcedefinitions";

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
        const definition = object as CustomResourceDefinition; // of the followed resource
        const name = definition.metadata.name ?? "";
        if (type === "DELETED") known.delete(name);
        else known.set(name, definition);
        queue.add(name);
        // Names that are free now may be those of another definition.
        const group = definition.spec?.group ?? name.slice(name.indexOf(".") + 1);
        for (const other of known.values()) if (other.spec.group === group && waitsForNames(other)) queue.add(other.metadata.name ?? "");
      }
    });
  },
};

function waitsForNames({ status: { conditions } }: CustomResourceDefinition): boolean {
  return !isTrue(conditions ?? [], "NamesAccepted");
}

/** Brings the conditions of a definition to what it and the others say. */
async function evaluate(
  api: Api,
  name: string,
  known: ReadonlyMap<string, CustomResourceDefinition>,
  names: Parameters<typeof conditionsOf>[3],
): Promise<void> {
  const definition = known.get(name);
  if (definition === undefined) return;
  const others = [...known.values()].filter((each) => each !== definition && each.spec.group === definition.spec.group);
  const status = conditionsOf(definition, others, new Date().toISOString().replace(/\.[0-9]+Z$/, "Z"), names);
  if (status === definition.status) return;
  try {
    await api.update(groupVersion, resource, "", name, { ...definition, status }, { subresource: "status" });
  } catch (error) {
    // A definition that has changed meanwhile comes again.
    if (!(error instanceof StatusError) || (error.reason !== "Conflict" && error.reason !== "NotFound")) throw error;
  }
}
