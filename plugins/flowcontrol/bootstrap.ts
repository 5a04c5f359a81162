/** Makes the objects of `bootstrap-objects.ts` at the start, and keeps them. As kube-apiserver's hook of this name. */
import { type ApiObject, type ControllerContext, type StartHook, StatusError } from "../../plugin.ts";
import { pause, sameValue, spell } from "../../toolbox.ts";
import { autoUpdate, exemptName, type Wanted, wantedLevels, wantedSchemas } from "./bootstrap-objects.ts";
import type { FlowSchemaSpec } from "./flow-schema-schema.ts";
import type { PriorityLevelConfigurationSpec } from "./priority-level-schema.ts";
import { groupVersion } from "./schema.ts";

/** Milliseconds between two rounds. */
const roundMs = 60_000;

type Spec = FlowSchemaSpec | PriorityLevelConfigurationSpec;
interface Kept extends ApiObject {
  readonly spec: Spec;
}

export const configurationProducer: StartHook = Object.freeze<StartHook>({
  name: "priority-and-fairness-config-producer",
  fieldManager: "api-priority-and-fairness-config-producer-v1",
  run: (context) => keepObjects(context),
  async follow(context, signal) {
    const seen: Seen = new Map();
    while (!signal.aborted) {
      await pause(roundMs, signal, context.clock);
      if (signal.aborted) return;
      try {
        await keepObjects(context, seen);
      } catch (error) {
        if (!signal.aborted) context.logError("the objects of priority and fairness cannot be kept; it tries again", error);
      }
    }
  },
});

/** By resource, the revisions of the objects that a round found. The next round has nothing to do while they are the same. */
type Seen = Map<string, string>;

/** One round: makes what is absent, corrects what has changed, and removes what only bears the server's mark. */
export async function keepObjects(context: ControllerContext, seen: Seen = new Map()): Promise<void> {
  await keepKind(context, seen, "prioritylevelconfigurations", wantedLevels);
  await keepKind(context, seen, "flowschemas", wantedSchemas(context.names));
}

async function keepKind({ api, names }: ControllerContext, seen: Seen, resource: string, wanted: readonly Wanted<Spec>[]): Promise<void> {
  const home = spell(names, groupVersion);
  // --runtime-config can leave the kinds out.
  if (!api.collections("create").some((each) => each.groupVersion === home && each.resource === resource)) return;
  const mark = spell(names, autoUpdate);
  const { items } = await api.list(groupVersion, resource, "");
  const revisions = items.map(({ metadata }) => metadata.resourceVersion).join(" ");
  if (seen.get(resource) === revisions) return;
  const stored = new Map((items as readonly Kept[]).map((each) => [each.metadata.name, each])); // the items are of this resource
  const absent = wanted.filter(({ name }) => !stored.has(name));
  const objects = absent.map(({ name, spec }) => ({ metadata: { name, annotations: { [mark]: "true" } }, spec }));
  for (const made of await api.createEach(groupVersion, resource, "", objects)) if (made.status === "rejected") passRace(made.reason);
  await Promise.all(wanted.map(async (each) => {
    const { name } = each, present = stored.get(name), next = present === undefined ? undefined : corrected(present, each, mark);
    stored.delete(name);
    if (next !== undefined) await unlessRace(api.update(groupVersion, resource, "", name, next));
  }));
  await Promise.all([...stored.values()].map(async ({ metadata: { name = "", uid, resourceVersion, annotations = {} } }) => {
    if (readBoolean(annotations[mark]) !== true) return;
    await unlessRace(api.delete(groupVersion, resource, "", name, { preconditions: { uid, resourceVersion } }));
  }));
  // Set when all is done: a round that fails, or that changes an object, is followed by one that looks at all of them.
  seen.set(resource, revisions);
}

/** The stored object with the wanted spec and mark; undefined if it has both. */
export function corrected<T extends Kept>(stored: T, wanted: Wanted<Spec>, mark: string): T | undefined {
  const { metadata } = stored, marked = readBoolean(metadata.annotations?.[mark]);
  // An object without the annotation is corrected only if no client has changed its spec: its generation is still 1.
  const isKept = wanted.isMandatory || (marked ?? metadata.generation === 1);
  const hasChanged = isKept && !isSameSpec(stored.spec, wanted);
  if (!hasChanged && marked === isKept) return undefined;
  const annotations = marked === isKept ? metadata.annotations : { ...metadata.annotations, [mark]: String(isKept) };
  return { ...stored, metadata: { ...metadata, annotations }, ...(hasChanged ? { spec: wanted.spec } : {}) };
}

/** Operators may give seats to the exempt level. */
function isSameSpec(spec: Spec, wanted: Wanted<Spec>): boolean {
  const isExemptLevel = wanted.name === exemptName && "type" in wanted.spec;
  return sameValue(
    isExemptLevel ? { ...spec, exempt: undefined } : spec,
    isExemptLevel ? { ...wanted.spec, exempt: undefined } : wanted.spec,
  );
}

/** A boolean as Go's strconv.ParseBool reads it; undefined for any other text. */
function readBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  return ["0", "f", "F", "FALSE", "false", "False"].includes(text) ? false : undefined;
}

/** Resolves also if another server or a client has changed the object meanwhile. The next round looks again. */
async function unlessRace(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    passRace(error);
  }
}
function passRace(error: unknown): void {
  if (!(error instanceof StatusError) || !["AlreadyExists", "Conflict", "NotFound"].includes(error.reason)) throw error;
}
