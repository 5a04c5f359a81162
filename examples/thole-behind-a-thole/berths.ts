// A group that the server in front does not have.
import { ageColumn, checker, definePlugin, defineResource, field, int32, nameColumn, object, structsOf } from "thole/plugin";
import type { Column, Infer } from "thole/plugin";

const home = "harbour.example.com/v1";

const BerthSpec = structsOf(home)("BerthSpec", {
  metres: field(1, int32, "Length of the berth.", { required: true, minimum: 1 }),
}, { doc: "What the berth is like." });

const Berth = object("Berth", {
  spec: field(2, BerthSpec, "What the berth is like.", { required: true }),
}, { package: home, doc: "A place for one boat." });
type Berth = Infer<typeof Berth>;

const metres: Column<Berth> = { name: "Metres", type: "integer", description: "Length of the berth.", cell: ({ spec }) => spec.metres };
const structure = checker(BerthSpec);

export const berthsPlugin = definePlugin({
  name: "berths",
  summary: "Berths of a harbour.",
  resources: [defineResource({
    kind: "Berth",
    scope: "Namespaced",
    summary: "A place for one boat.",
    storedAs: home,
    storedUnder: "harbour.example.com/berths",
    served: { [home]: { schema: Berth, introduced: "1.0", columns: [nameColumn, metres, ageColumn] } },
    create: ({ spec }) => structure(spec, "spec"),
    update: ({ spec }) => structure(spec, "spec"),
  })],
});
