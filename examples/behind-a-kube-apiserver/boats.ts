// A group that the cluster does not have.
import { ageColumn, checker, definePlugin, defineResource, field, int32, nameColumn, object, oneOf, structsOf } from "thole/plugin";
import type { Column, Infer } from "thole/plugin";

const home = "harbour.example.com/v1";
const struct = structsOf(home);

const BoatSpec = struct("BoatSpec", {
  rig: field(1, oneOf("sloop", "ketch", "none"), "How it is sailed.", { default: "none" }),
  oars: field(2, int32, "Number of oars."),
}, { doc: "What a boat is like." });

const Boat = object("Boat", {
  spec: field(2, BoatSpec, "What the boat is like.", { required: true }),
}, { package: home, doc: "A boat in a harbour." });
type Boat = Infer<typeof Boat>;

const rig: Column<Boat> = { name: "Rig", type: "string", description: "How it is sailed.", cell: ({ spec }) => spec.rig ?? "" };
const structure = checker(BoatSpec);

export const boatsPlugin = definePlugin({
  name: "boats",
  summary: "Boats in a harbour.",
  resources: [defineResource({
    kind: "Boat",
    scope: "Namespaced",
    summary: "A boat in a harbour.",
    storedAs: home,
    storedUnder: "harbour.example.com/boats",
    served: { [home]: { schema: Boat, introduced: "1.0", columns: [nameColumn, rig, ageColumn] } },
    create: ({ spec }) => structure(spec, "spec"),
    update: ({ spec }) => structure(spec, "spec"),
  })],
});
