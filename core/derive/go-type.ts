/** The Go names of types, as decoding errors show them: `[]v1.Container`, `map[string]string`, `int32`. */
import { fold, type Node } from "../schema.ts";

/** The Go name of a node's type. Pointers show as what they point to. */
export const goType: (node: Node) => string = fold<string>({
  boolean: () => "bool",
  string: () => "string",
  int32: () => "int32",
  int64: () => "int64",
  double: () => "float64",
  bytes: () => "[]uint8",
  quantity: () => "resource.Quantity",
  intOrString: () => "intstr.IntOrString",
  time: () => "v1.Time",
  microTime: () => "v1.MicroTime",
  duration: () => "v1.Duration",
  raw: () => "runtime.RawExtension",
  fieldsV1: () => "v1.FieldsV1",
  list: ({ of }, go) => `[]${go(of)}`,
  record: ({ of }, go) => `map[string]${go(of)}`,
  struct: ({ name, package: home = "v1" }) => `${home.slice(home.lastIndexOf("/") + 1)}.${name}`,
}, () => "interface {}");
