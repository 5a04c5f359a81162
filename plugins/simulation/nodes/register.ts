/** The nodes that the simulation creates by itself. */
import { StatusError } from "../../../plugin.ts";
import { untilAborted } from "../../../core/async.ts";
import { nodesSetting } from "../settings.ts";
import type { Node, World } from "../world/world.ts";
import { nodeCondition } from "./fate.ts";

/** Whether pods can be placed on the node. */
const isUsable = (node: Node): boolean => nodeCondition(node, "Ready")?.status === "True" && (node.spec.taints ?? []).length === 0;

/** Creates the nodes of the setting that are missing: `simulated-0` and so on. Resolves when new ones are ready, or the simulation ends. */
export async function registerNodes(world: World): Promise<void> {
  const count = world.context.setting(nodesSetting), waiting = new Set<string>();
  const { promise, resolve } = Promise.withResolvers<void>();
  // The signal may have been aborted before.
  void untilAborted(world.signal).then(resolve);
  world.nodes.listen((next, before) => {
    if (next === undefined || isUsable(next)) waiting.delete((next ?? before)!.metadata.name ?? "");
    if (waiting.size === 0) resolve();
  });
  for (let number = 0; number < count && !world.signal.aborted; number++) {
    const name = `simulated-${number}`;
    if (world.nodes.get("", name) !== undefined) continue;
    waiting.add(name);
    const node = { metadata: { name }, spec: {}, status: {} } as unknown as Node; // the server adds the rest
    await world.nodes.create("", node).catch((error: unknown) => {
      waiting.delete(name);
      if (!(error instanceof StatusError && error.reason === "AlreadyExists")) throw error;
    });
  }
  if (waiting.size > 0) await promise;
}
