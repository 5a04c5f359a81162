/** A kind with two versions of the same content, for tests of values stored in an old version. */
import { definePlugin, defineResource, field, type Infer, int32, invalid, object, type Plugin, string, structsOf } from "../../plugin.ts";
import type { Served } from "../../toolbox.ts";

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

/** The plugin of a release that stores rods in this version and serves both. Each change waits for `mayChange`. */
export function rodsPlugin(stored: "v1" | "v2", mayChange: () => Promise<void> = () => Promise.resolve()): Plugin {
  const text: Served<any> = { schema: Text, introduced: "1.0" }, measured: Served<any> = { schema: Measured, introduced: "1.0" };
  return pluginOf(
    homes[stored],
    stored === "v1"
      ? { [homes.v1]: text, [homes.v2]: { ...measured, toStored: toText, fromStored: toMeasured } }
      : { [homes.v1]: { ...text, toStored: toMeasured, fromStored: toText }, [homes.v2]: measured },
    mayChange,
  );
}

const beta = `${group}/v1beta1`;
const measured: Served<any> = { schema: Measured, introduced: "1.0" }, text: Served<any> = { schema: Text, introduced: "1.20" };
const converted = { toStored: toMeasured, fromStored: toText };
const replacement = { groupVersion: homes.v2, kind: "Rod" };

/** Releases by what they do with the measured in words: `v1` has it alone; the others have it as v1beta1, beside v2. */
export const rodsReleases: Readonly<Record<"before v2" | "stores v1beta1" | "has removed v1beta1" | "without v1beta1", Plugin>> = {
  "before v2": pluginOf(homes.v1, { [homes.v1]: text }),
  "stores v1beta1": pluginOf(beta, {
    [beta]: { ...text, introduced: "1.33" },
    [homes.v2]: { ...measured, toStored: toText, fromStored: toMeasured },
  }),
  // Not served, and values that are stored in it are read.
  "has removed v1beta1": pluginOf(homes.v2, {
    [beta]: { ...text, introduced: "1.19", deprecated: "1.22", removed: "1.25", replacement, ...converted },
    [homes.v2]: measured,
  }),
  "without v1beta1": pluginOf(homes.v2, { [homes.v2]: measured }),
};

function pluginOf(
  storedAs: string,
  served: Readonly<Record<string, Served<any>>>,
  mayChange: () => Promise<void> = () => Promise.resolve(),
): Plugin {
  const rods = defineResource<any>({
    kind: "Rod",
    scope: "Namespaced",
    summary: "A rod.",
    storedAs,
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
