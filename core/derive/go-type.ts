/** Makes the Go names of types in decoding errors: `[]v1.Container`, `map[string]string`, `int32`. */
import { type Field, fold, type Node, resolve } from "../schema.ts";

/** Returns the Go name of a node's type. A pointer has the name of its target. */
export const goType: (node: Node) => string = fold<string>({
  boolean: () => "bool",
  string: ({ goName = "string" }) => goName,
  int32: () => "int32",
  int64: () => "int64",
  double: () => "float64",
  bytes: () => "[]uint8",
  quantity: () => "resource.Quantity",
  intOrString: () => "intstr.IntOrString",
  time: () => "v1.Time",
  microTime: () => "v1.MicroTime",
  duration: () => "v1.Duration",
  raw: ({ sorted }) => sorted ? "v1.JSON" : "runtime.RawExtension",
  structural: () => "interface {}",
  fieldsV1: () => "v1.FieldsV1",
  list: ({ of, goName }, go) => goName ?? `[]${go(of)}`,
  record: ({ of, goName }, go) => goName ?? `map[string]${go(of)}`,
  either: ({ name, package: home = "v1" }) => `${home.slice(home.lastIndexOf("/") + 1)}.${name}`,
  struct: ({ name, package: home = "v1" }) => `${home.slice(home.lastIndexOf("/") + 1)}.${name}`,
}, () => "interface {}");

/** First words of keys that are upper case in Go names. */
const initials = new Set(
  "api aws csi dns fc fs gce gmsa grpc http ip iqn iscsi nfs os rbd se ssl tcp tty uid".split(" "),
);

/** Returns the Go name of a field: `goName`, the type name of an embedded struct, or the key in upper camel case. */
export function goFieldName(key: string, { node, goName, inline }: Field): string {
  const inner = resolve(node);
  if (inner.tag === "struct" && (inline || key === "metadata")) return inner.name;
  const [word = ""] = key.match(/^[a-z]+/) ?? [];
  return goName ?? (initials.has(word) ? word.toUpperCase() : word.slice(0, 1).toUpperCase() + word.slice(1)) + key.slice(word.length);
}
