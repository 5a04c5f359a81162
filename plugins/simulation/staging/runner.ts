/** Does what Stages say for the objects of a kind. */
import { reasonOf } from "../../../toolbox.ts";
import { type ApiObject, objectKey } from "../../../plugin.ts";
import type { Json, JsonObject } from "../../../core/json.ts";
import { readYaml } from "../../../core/tree/yaml.ts";
import { jsonFromTree } from "../../../core/tree/values.ts";
import type { ClusterAddresses } from "../nodes/cluster-addresses.ts";
import { healthyConditions } from "../nodes/node-status.ts";
import { type Piece, renderTemplate } from "../stages/template.ts";
import { templateFunctions } from "../stages/template-functions.ts";
import type { Reconciler } from "../world/reconciler.ts";
import type { Store } from "../world/store.ts";
import { lastChange } from "../world/last-change.ts";
import { timestampOf } from "../world/time.ts";
import type { Pod, World } from "../world/world.ts";
import { applyObject } from "./apply.ts";
import { chooseStage, type CompiledPatch, type CompiledStage, type CompiledStep } from "./compiled-stage.ts";
import { nodeKind, podKind, type StageBook, type StagedKind } from "./stage-book.ts";

/** The shortest time between two times that the same stage changes the same object, in milliseconds. */
const repeatMs = 1_000;

/** The stage that an object is in, and when it ends. */
interface Progress {
  readonly stage: CompiledStage;
  readonly at: number;
}

/** A kind, and the store that follows its objects. */
export interface StagedObjects {
  readonly kind: StagedKind;
  readonly store: Store<ApiObject>;
}

/** The stores of Pods and Nodes. */
export function stagedPods({ pods }: World): StagedObjects {
  return { kind: podKind, store: pods as unknown as Store<ApiObject> }; // pods are objects
}
export function stagedNodes({ nodes }: World): StagedObjects {
  return { kind: nodeKind, store: nodes as unknown as Store<ApiObject> }; // nodes are objects
}

/** Runs the stages of one kind. */
export function stageReconciler({ kind, store }: StagedObjects, world: World, book: StageBook, addresses: ClusterAddresses): Reconciler {
  const progress = new Map<string, Progress>(), done = new Map<string, Progress>();
  /** Objects that were there at the start: their first stage began before it. */
  const earlier = new Set<string>();
  return {
    name: `stage of ${kind}`,
    follow(_world, add) {
      const all = () => {
        for (const object of store.all()) add(objectKey(object));
      };
      for (const { metadata } of store.all()) earlier.add(metadata.uid ?? "");
      all();
      book.listen(all);
      store.listen((next, before) =>
        next === undefined ? [progress, done].forEach((each) => each.delete(before!.metadata.uid ?? "")) : add(objectKey(next))
      );
    },
    async reconcile(_world, key): Promise<number | void> {
      const object = store.at(key), stages = book.of(kind);
      if (object === undefined) return;
      const { uid = "" } = object.metadata, isEarlier = earlier.delete(uid);
      if (stages.length === 0) return;
      if (kind === podKind && !world.nodes.get("", (object as Pod).spec.nodeName ?? "")) return;
      const random = () => world.random(`stage of ${kind} ${key}`), json = object as unknown as Json, now = world.clock.now();
      let current = progress.get(uid);
      if (current === undefined || !stages.includes(current.stage) || !current.stage.matches(json)) {
        const stage = chooseStage(stages, json, random());
        if (stage === undefined) return void progress.delete(uid);
        const last = done.get(uid), earliest = last?.stage === stage ? last.at + repeatMs : 0;
        const began = isEarlier ? Math.min(now, lastChange(object) ?? now) : now;
        current = { stage, at: Math.max(earliest, began + stage.delayMs(json, began, random())) };
        progress.set(uid, current);
      }
      if (current.at > now) return current.at - now;
      progress.delete(uid);
      done.set(uid, { stage: current.stage, at: now });
      try {
        await play(world, store, object, current.stage, addresses);
      } catch (error) {
        book.report(current.stage.stage, `fails for ${kind} ${key}: ${reasonOf(error)}`);
        throw error;
      }
    },
  };
}

async function play(
  world: World,
  store: Store<ApiObject>,
  object: ApiObject,
  stage: CompiledStage,
  addresses: ClusterAddresses,
): Promise<void> {
  let current = object;
  for (const step of stage.steps) {
    if ("delete" in step) return await store.delete(current, { gracePeriodSeconds: 0 });
    current = await playStep(world, store, current, step, addresses);
  }
}

async function playStep(
  world: World,
  store: Store<ApiObject>,
  object: ApiObject,
  step: Exclude<CompiledStep, { readonly delete: true }>,
  addresses: ClusterAddresses,
): Promise<ApiObject> {
  if ("event" in step) {
    const { type, reason = "Stage", message = "" } = step.event;
    world.context.events.record(object, { type: type === "Warning" ? "Warning" : "Normal", reason, action: "Stage", note: message });
    return object;
  }
  if ("finalizers" in step) {
    const { add = [], remove = [], empty = false } = step.finalizers, known = object.metadata.finalizers ?? [];
    const removed = new Set(remove.map(({ value }) => value)), kept = empty ? [] : known.filter((each) => !removed.has(each));
    const finalizers = [...new Set([...kept, ...add.flatMap(({ value }) => value ?? [])])];
    if (finalizers.length === known.length && finalizers.every((each, i) => each === known[i])) return object;
    return await store.update({ ...object, metadata: { ...object.metadata, finalizers } });
  }
  if ("apply" in step) {
    await applyObject(world, object, rendered(world, object, step.apply.template, addresses), step.apply);
    return object;
  }
  return await playPatch(world, store, object, step.patch, addresses);
}

/** What a template gives for an object, which is read as YAML. */
function rendered(world: World, object: ApiObject, template: readonly Piece[], addresses: ClusterAddresses): Json {
  const text = renderTemplate(template, object as unknown as Json, functionsFor(world, object, addresses));
  const read = readYaml(new TextEncoder().encode(text));
  if (!read.ok) throw new Error(`its template gives no YAML: ${read.error}`);
  return jsonFromTree(read.tree);
}

async function playPatch(
  world: World,
  store: Store<ApiObject>,
  object: ApiObject,
  patch: CompiledPatch,
  addresses: ClusterAddresses,
): Promise<ApiObject> {
  const isStrategic = object.kind === "Pod" || object.kind === "Node";
  const value = rendered(world, object, patch.template, addresses),
    { root = "", type = isStrategic ? "strategic" : "merge", subresource = "" } = patch;
  const whole = root === "" ? value : { [root]: value };
  const options = subresource === "" ? {} : { subresource: subresource as "status" };
  if (type === "json") return await store.patch(object, { json: value as never }, options);
  const { uid } = object.metadata,
    named = { ...whole as JsonObject, metadata: { ...(whole as { metadata?: JsonObject }).metadata, uid: uid ?? "" } };
  return await store.patch(object, type === "merge" ? { merge: named } : { strategic: named }, options);
}

function functionsFor(world: World, object: ApiObject, addresses: ClusterAddresses) {
  return templateFunctions({
    now: () => timestampOf(world.clock.now()),
    nodeConditions: healthyConditions,
    nodeName: object.kind === "Node" ? object.metadata.name ?? "" : "",
    nodeAddress(name) {
      const node = world.nodes.get("", name);
      return node === undefined ? "" : addresses.hostOf(node);
    },
    podAddress(name, hostNetwork) {
      if (object.kind !== "Pod") return "";
      const node = world.nodes.get("", name);
      if (hostNetwork && node !== undefined) return addresses.hostOf(node);
      return (object as Pod).status.podIP || addresses.ofPod(object as Pod);
    },
  });
}
