/** For `--plugins`: a kind whose second release has one more field, behind a gate that is off at first. */
import { definePlugin, defineResource, field, object, type Plugin, string, structsOf } from "../../plugin.ts";
import type { GateStage } from "../../toolbox.ts";

const group = "boards.example.com", home = `${group}/v1`;
const struct = structsOf(home);

/** The plugin of a release with or without the field. */
export function boardsPlugin(hasTier: boolean): Plugin {
  const Spec = struct("BoardSpec", {
    colour: field(1, string, "What it is painted with."),
    ...(hasTier ? { tier: field(2, string, "Class of wood.", { gate: "BoardTiers" }) } : {}),
  }, { doc: "What it is like." });
  const Board = object("Board", { spec: field(2, Spec, "What it is like.") }, { package: home, doc: "A board." });
  const tiers: readonly GateStage[] = [{ since: "1.35", stage: "Beta", default: false }];
  return definePlugin({
    name: "boards",
    summary: "Boards.",
    ...(hasTier ? { featureGates: { BoardTiers: tiers } } : {}),
    resources: [defineResource<any>({
      kind: "Board",
      scope: "Namespaced",
      summary: "A board.",
      storedAs: home,
      storedUnder: `${group}/boards`,
      served: { [home]: { schema: Board, introduced: "1.0" } },
    })],
  });
}
