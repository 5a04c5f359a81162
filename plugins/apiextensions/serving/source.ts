/** Follows the definitions, so that their resources are added, changed and removed while the server runs. */
import { type ResourceSource, valueText } from "../../../toolbox.ts";
import { type CustomResourceDefinition, groupVersion } from "../schema.ts";
import { resourcesOf } from "./resources.ts";
import { type Description, descriptionOf } from "./description.ts";

const resource = "customresourcedefinitions";

export const definedResources: ResourceSource<Description> = {
  hook: "crd-informer-synced",
  needs: [{ resource, groupVersions: [groupVersion] }],
  async *follow({ api, failed = () => {} }, signal) {
    const served = new Map<string, Followed>();
    let synced = false, changed = true;
    let wake = Promise.withResolvers<void>();
    const ended = follow();
    ended.catch(() => {}); // it is awaited below
    async function follow(): Promise<void> {
      const onSynced = () => {
        synced = true;
        wake.resolve();
      };
      try {
        for await (const { type, object } of api.watch(groupVersion, resource, "", {}, signal, "everything", onSynced)) {
          try {
            changed = take(served, type, object as CustomResourceDefinition) || changed; // the objects are of the followed resource
          } catch (error) {
            failed(`definition ${object.metadata.name}`, error); // the served resource stays as it was
          }
          if (changed && synced) wake.resolve();
        }
      } finally {
        wake.resolve();
      }
    }
    while (!signal.aborted) {
      // Events that arrived together are reported as one change.
      if (synced && changed) {
        changed = false;
        yield Array.from(served.values(), ({ description }) => description);
        continue;
      }
      await Promise.race([wake.promise, ended]);
      wake = Promise.withResolvers();
      if (!synced && !signal.aborted) await Promise.race([ended, nextTurn()]);
    }
    await ended;
  },
  resources: resourcesOf,
};

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

interface Followed {
  readonly key: string;
  readonly description: Description;
}

/** Processes an event. Returns whether the served resources have changed, or the state of one. */
function take(served: Map<string, Followed>, type: string, definition: CustomResourceDefinition): boolean {
  const { name = "", uid = "", generation = 0 } = definition.metadata;
  const description = type === "DELETED" ? undefined : descriptionOf(definition);
  if (description === undefined) return served.delete(name);
  // The spec has changed if the generation has changed.
  const key = valueText([uid, String(generation), description.names]);
  const before = served.get(name);
  if (before?.key === key) {
    // The description stays the same object, so that watches go on and their clients see the deletion of each object.
    const { state } = before.description, { terminating } = description.state;
    if (state.terminating === terminating) return false;
    state.terminating = terminating;
    return true;
  }
  served.set(name, { key, description });
  return true;
}
