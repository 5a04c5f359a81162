// Measures the cost of field ownership for one object of one kilobyte. Run: `deno run core/apply/apply_bench.ts`
import { atomOf } from "./atom.ts";
import { emptySet } from "./field-set.ts";
import { applyConfig, ownersAfterUpdate, type Versions, type Writer } from "./managers.ts";
import { noOwners } from "./owners.ts";
import { field, type Json, record, string, struct } from "../schema.ts";

const atom = atomOf(struct("Thing", { data: field(1, record(string), "Data.") }));
const versions: Versions = { current: "v1", atom: () => atom, convert: (object) => object, ignored: () => emptySet };
const writer: Writer = { manager: "m", subresource: "", time: "2024-01-01T00:00:00Z" };
const data = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`key${i}`, "x".repeat(80)]));
const config = (n: string): Json => ({ data: { ...data, n } });
const first = applyConfig(versions, {}, config("0"), noOwners, writer, false);
const owners = first.done ? first.owners : noOwners;
const updated = ownersAfterUpdate(versions, {}, config("0"), noOwners, writer);

const rounds = 20_000;
const cases: readonly (readonly [name: string, run: () => unknown])[] = [
  ["apply that changes one field", () => applyConfig(versions, config("0"), config("1"), owners, writer, false)],
  ["apply that changes nothing", () => applyConfig(versions, config("0"), config("0"), owners, writer, false)],
  ["apply that omits an owned field", () => applyConfig(versions, config("0"), { data }, owners, writer, false)],
  ["update that changes one field", () => ownersAfterUpdate(versions, config("0"), config("1"), updated, writer)],
];
for (const [name, run] of cases) {
  for (let i = 0; i < rounds; i++) run();
  const from = performance.now();
  for (let i = 0; i < rounds; i++) run();
  console.log(`${name.padEnd(30)} ${((performance.now() - from) * 1000 / rounds).toFixed(1)} us`);
}
