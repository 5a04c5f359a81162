/** One example for each constructor of the schema language: fields of a spec, and what becomes of values that clients send. The page shows them; a test runs them. */
import { object } from "../../core/meta/object.ts";
import {
  anyJson,
  atomicRecord,
  boolean,
  bytes,
  double,
  duration,
  either,
  type Field,
  field,
  int32,
  int64,
  intOrString,
  lazy,
  list,
  mapBy,
  microTime,
  named,
  oneOf,
  plainList,
  quantity,
  raw,
  record,
  setOf,
  string,
  struct,
  type StructNode,
  structsOf,
  time,
  type Typed,
} from "../../core/schema.ts";

export interface Example {
  /** The fields of a spec, or the schema of a kind. The page shows their source text. */
  readonly fields?: Readonly<Record<string, Field<any, any>>>;
  readonly schema?: Typed<unknown, StructNode>;
  /** The spec that a client sends, and the spec of the answer or the code and message of the error. */
  readonly cases: readonly (readonly [sent: string, answer: string])[];
}

interface Folder {
  readonly name?: string;
  readonly folders?: readonly Folder[];
}
const Folder: Typed<Folder> = struct("Folder", {
  name: field(1, string, "Its name."),
  folders: field(2, list(lazy(() => Folder)), "What it contains."),
});

const Port = struct("Port", {
  name: field(1, string, "Its name.", { required: true }),
  number: field(2, int32, "Its number."),
});
const inFleet = structsOf("fleet.example.com/v1");
const Captain = inFleet("Captain", { name: field(1, string, "Full name.") }, { doc: "Who commands the ship." });
const Cargo = struct("Cargo", { tons: field(1, int32, "Weight.") }, { doc: "What the ship carries." });

/** The examples by the name of the constructor. */
export const examples: Readonly<Record<string, Example>> = {
  boolean: {
    fields: { isArmed: field(1, boolean, "Whether it has guns.", { default: true }) },
    cases: [["{}", '{"isArmed":true}'], ['{"isArmed":false}', '{"isArmed":false}'], [
      '{"isArmed":"no"}',
      "400: json: cannot unmarshal string into Go struct field ShipSpec.spec.isArmed of type bool",
    ]],
  },
  string: {
    fields: { flag: field(1, string, "The code of a country.", { publish: { maxLength: 2 } }) },
    cases: [['{"flag":"NL"}', '{"flag":"NL"}'], ['{"flag":""}', "{}"], [
      '{"flag":"NLD"}',
      "422: spec.flag: Too long: may not be more than 2 bytes",
    ], ['{"flag":7}', "400: json: cannot unmarshal number into Go struct field ShipSpec.spec.flag of type string"]],
  },
  int32: {
    fields: { masts: field(1, int32, "Number of masts.", { default: 3, publish: { minimum: 0 } }) },
    cases: [
      ["{}", '{"masts":3}'],
      ['{"masts":0}', '{"masts":0}'],
      ['{"masts":-1}', "422: spec.masts: Invalid value: -1: spec.masts in body should be greater than or equal to 0"],
      ['{"masts":1.5}', "400: json: cannot unmarshal number 1.5 into Go struct field ShipSpec.spec.masts of type int32"],
      ['{"masts":2147483648}', "400: json: cannot unmarshal number 2147483648 into Go struct field ShipSpec.spec.masts of type int32"],
    ],
  },
  int64: {
    fields: { grams: field(1, int64, "Weight.") },
    cases: [['{"grams":9223372036854775807}', '{"grams":9223372036854775807}'], ['{"grams":0}', "{}"], [
      '{"grams":9223372036854775808}',
      "400: json: cannot unmarshal number 9223372036854775808 into Go struct field ShipSpec.spec.grams of type int64",
    ]],
  },
  double: {
    fields: { knots: field(1, double, "Highest speed.") },
    cases: [['{"knots":12.5}', '{"knots":12.5}'], [
      '{"knots":"12.5"}',
      "400: json: cannot unmarshal string into Go struct field ShipSpec.spec.knots of type float64",
    ]],
  },
  bytes: {
    fields: { seal: field(1, bytes, "A signature.") },
    cases: [['{"seal":"aGVsbG8="}', '{"seal":"aGVsbG8="}'], ['{"seal":"hello!"}', "400: illegal base64 data at input byte 5"]],
  },
  quantity: {
    fields: { water: field(1, quantity, "Drinking water.") },
    cases: [['{"water":"1024Mi"}', '{"water":"1Gi"}'], ['{"water":0.5}', '{"water":"500m"}'], [
      '{"water":"much"}',
      "400: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ]],
  },
  intOrString: {
    fields: { berth: field(1, intOrString, "A berth by number or by name.") },
    cases: [['{"berth":12}', '{"berth":12}'], ['{"berth":"north"}', '{"berth":"north"}'], [
      '{"berth":true}',
      "400: json: cannot unmarshal bool into Go struct field ShipSpec.spec.berth of type int32",
    ]],
  },
  time: {
    fields: { launched: field(1, time, "When it was launched.") },
    cases: [['{"launched":"2024-05-01T12:00:00.5+02:00"}', '{"launched":"2024-05-01T10:00:00Z"}'], [
      '{"launched":"yesterday"}',
      '400: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ]],
  },
  microTime: {
    fields: { seen: field(1, microTime, "When it was seen.") },
    cases: [['{"seen":"2024-05-01T12:00:00.250000+02:00"}', '{"seen":"2024-05-01T10:00:00.250000Z"}'], [
      '{"seen":"2024-05-01T10:00:00.25Z"}',
      '400: parsing time "2024-05-01T10:00:00.25Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".25Z" as ".000000"',
    ]],
  },
  duration: {
    fields: { watch: field(1, duration, "How long a watch lasts.", { default: "4h0m0s" }) },
    cases: [["{}", '{"watch":"4h0m0s"}'], ['{"watch":"90s"}', '{"watch":"1m30s"}'], [
      '{"watch":"a while"}',
      '400: time: invalid duration "a while"',
    ]],
  },
  raw: {
    fields: { log: field(1, raw, "Settings of another program.") },
    cases: [['{"log":{"b":1,"a":[null,2.50]}}', '{"log":{"b":1,"a":[null,2.5]}}']],
  },
  anyJson: {
    fields: { extra: field(1, anyJson, "Any value.") },
    cases: [['{"extra":{"b":1,"a":[null,2.50]}}', '{"extra":{"a":[null,2.5],"b":1}}'], ['{"extra":7}', '{"extra":7}']],
  },
  oneOf: {
    fields: { rig: field(1, oneOf("Sloop", "Ketch"), "How it is rigged.", { default: "Sloop" }) },
    cases: [["{}", '{"rig":"Sloop"}'], ['{"rig":"Ketch"}', '{"rig":"Ketch"}'], [
      '{"rig":"Raft"}',
      '422: spec.rig: Unsupported value: "Raft": supported values: "Ketch", "Sloop"',
    ]],
  },
  named: {
    fields: { rig: field(1, named("v1.Rig", oneOf("Sloop", "Ketch")), "How it is rigged.") },
    cases: [['{"rig":7}', "400: json: cannot unmarshal number into Go struct field ShipSpec.spec.rig of type v1.Rig"]],
  },
  list: {
    fields: { route: field(1, list(string), "Ports in their order.", { publish: { maxItems: 3 } }) },
    cases: [['{"route":["Bergen","Oslo","Bergen"]}', '{"route":["Bergen","Oslo","Bergen"]}'], ['{"route":[]}', "{}"], [
      '{"route":["a","b","c","d"]}',
      "422: spec.route: Too many: 4: must have at most 3 items",
    ]],
  },
  plainList: {
    fields: { route: field(1, plainList(string), "Ports in their order.") },
    cases: [['{"route":["Bergen","Oslo"]}', '{"route":["Bergen","Oslo"]}']],
  },
  setOf: {
    fields: { flags: field(1, setOf(string), "Signal flags on board.") },
    cases: [['{"flags":["B","A"]}', '{"flags":["B","A"]}'], ['{"flags":["A","A"]}', '422: spec.flags[1]: Duplicate value: "A"']],
  },
  mapBy: {
    fields: { ports: field(1, mapBy(["name"], Port), "Gun ports.") },
    cases: [['{"ports":[{"name":"bow","number":1},{"name":"stern"}]}', '{"ports":[{"name":"bow","number":1},{"name":"stern"}]}'], [
      '{"ports":[{"name":"bow"},{"name":"bow"}]}',
      '422: spec.ports[1]: Duplicate value: {"name":"bow"}',
    ], ['{"ports":[{"number":1}]}', "422: spec.ports[0].name: Required value"]],
  },
  record: {
    fields: { stores: field(1, record(int32), "Provisions by name.") },
    cases: [['{"stores":{"rum":7,"bread":0}}', '{"stores":{"bread":0,"rum":7}}'], ['{"stores":{}}', "{}"], [
      '{"stores":{"rum":"much"}}',
      "400: json: cannot unmarshal string into Go struct field ShipSpec.spec.stores of type int32",
    ]],
  },
  atomicRecord: {
    fields: { crew: field(1, atomicRecord(string), "Names by rank.") },
    cases: [['{"crew":{"mate":"Ann"}}', '{"crew":{"mate":"Ann"}}']],
  },
  lazy: {
    fields: { archive: field(1, Folder, "Charts on board.") },
    cases: [['{"archive":{"name":"a","folders":[{"name":"b"}]}}', '{"archive":{"name":"a","folders":[{"name":"b"}]}}']],
  },
  struct: {
    fields: {
      cargo: field(
        1,
        struct("Cargo", { tons: field(1, int32, "Weight.", { required: true }) }, {
          rules: [{ rule: "self.tons <= 100", message: "is too heavy" }],
        }),
        "What it carries.",
      ),
    },
    cases: [['{"cargo":{"tons":7}}', '{"cargo":{"tons":7}}'], ['{"cargo":{"tons":7,"colour":"red"}}', '{"cargo":{"tons":7}}'], [
      '{"cargo":{"tons":101}}',
      "422: spec.cargo: Invalid value: is too heavy",
    ]],
  },
  structsOf: {
    fields: { captain: field(1, Captain, "Who commands it.") },
    cases: [['{"captain":{"name":"Ann"}}', '{"captain":{"name":"Ann"}}']],
  },
  either: {
    fields: {
      hold: field(
        1,
        either("CargoOrBoolean", { number: 1, node: Cargo }, { number: 2, node: boolean }, { doc: "What it carries, or whether it does." }),
        "What it carries.",
      ),
    },
    cases: [['{"hold":true}', '{"hold":true}'], ['{"hold":{"tons":7}}', '{"hold":{"tons":7}}'], ['{"hold":"much"}', "{}"]],
  },
  object: {
    schema: object("Ship", {
      spec: field(2, struct("ShipSpec", { name: field(1, string, "Its name.", { required: true }) }), "The wanted state.", {
        required: true,
      }),
      status: field(3, struct("ShipStatus", { berth: field(1, int32, "Where it lies.") }), "The observed state."),
    }, { package: "fleet.example.com/v1", doc: "A ship of the fleet." }),
    cases: [['{"name":"Vasa"}', '{"name":"Vasa"}'], ["{}", "422: spec.name: Required value"]],
  },
};
