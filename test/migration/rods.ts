/** A kind with two versions of the same content, for tests of values stored in an old version. */
import {
  definePlugin,
  defineResource,
  field,
  type Infer,
  int32,
  invalid,
  object,
  type Plugin,
  type Served,
  string,
  structsOf,
} from "../../plugin.ts";

const group = "rods.example.com";
const homes = { v1: `${group}/v1`, v2: `${group}/v2` };
const struct1 = structsOf(homes.v1), struct2 = structsOf(homes.v2);

const Text = object("Rod", {
  spec: field(
    2,
    struct1("RodSpec", { length: field(1, string, "How long it is, such as 12mm.") }, { doc: "What it is like." }),
    "What it is like.",
    {
      required: true,
    },
  ),
}, { package: homes.v1, doc: "A rod, measured in words." });
type Text = Infer<typeof Text>;

const Measured = object("Rod", {
  spec: field(2, struct2("RodSpec", { millimetres: field(1, int32, "How long it is.") }, { doc: "What it is like." }), "What it is like.", {
    required: true,
  }),
}, { package: homes.v2, doc: "A rod, measured in numbers." });
type Measured = Infer<typeof Measured>;

const toMeasured = ({ spec, ...rest }: Text): Measured => ({
  ...rest,
  spec: spec.length === undefined ? {} : { millimetres: Number.parseInt(spec.length) },
});
const toText = ({ spec, ...rest }: Measured): Text => ({
  ...rest,
  spec: spec.millimetres === undefined ? {} : { length: `${spec.millimetres}mm` },
});

/**
 * The plugin of a release that stores rods in this version and serves both. Each change waits for `mayChange`. `other`: whether the other version
 * is served, removed (values stored in it can be read), or absent.
 */
export function rodsPlugin(
  stored: "v1" | "v2",
  mayChange: () => Promise<void> = () => Promise.resolve(),
  other: "served" | "removed" | "absent" = "served",
): Plugin {
  const text: Served<any> = { schema: Text, introduced: "1.0" }, measured: Served<any> = { schema: Measured, introduced: "1.0" };
  const end = other === "removed" ? { removed: "1.30" } : {};
  const [own, others] = stored === "v1"
    ? [{ [homes.v1]: text }, { [homes.v2]: { ...measured, ...end, toStored: toText, fromStored: toMeasured } }]
    : [{ [homes.v2]: measured }, { [homes.v1]: { ...text, ...end, toStored: toMeasured, fromStored: toText } }];
  const served = other === "absent" ? own : { ...own, ...others };
  const rods = defineResource<any>({
    kind: "Rod",
    scope: "Namespaced",
    summary: "A rod.",
    storedAs: homes[stored],
    storedUnder: `${group}/rods`,
    served,
    create: ({ spec }) =>
      "length" in spec && !/^\d+mm$/.test(spec.length) ? [invalid("spec.length", spec.length, "must be like 12mm")] : [],
  });
  const refuse = async (_: unknown, prior: unknown) => {
    if (prior !== undefined) await mayChange();
    return undefined;
  };
  return definePlugin({
    name: "rods",
    summary: "Rods in two versions.",
    resources: [rods],
    admission: [{ name: "Changes", resources: [rods], refuse }],
  });
}
