/** Compiles the rules in the tree of a plugin's kind. */
import { cardinality, product, RuleCompiler, type SchemaPlace } from "../../cel/schema/definition.ts";
import { storedRules } from "../../cel/schema/environments.ts";
import { type RuleNode, rulesOf } from "../../cel/schema/validator.ts";
import { ruleSchema } from "../../core/derive/rule-schema.ts";
import type { StructNode } from "../../core/schema.ts";
import { otherMembers, type StructuralSchema } from "../../core/structural-schema.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";

/**
 * Maximum estimated cost, in units of CEL, of one rule of a definition. It is the worst case of all evaluations of the rule for one object.
 */
const celRuleCostMax = bound(10_000_000);

/** The rules of a kind, and the mistakes in them. */
export interface DeclaredRules {
  readonly rules: RuleNode | undefined;
  /** One sentence for each mistake: the place, the rule, and what is wrong. */
  readonly ruleMistakes: readonly string[];
}

const none: DeclaredRules = Object.freeze({ rules: undefined, ruleMistakes: [] });

export function compileRules(kind: StructNode): DeclaredRules {
  const schema = ruleSchema(kind);
  if (schema === undefined) return none;
  const compiler = new RuleCompiler(storedRules);
  const mistakes = [...placesOf({ schema, parent: undefined, step: "root" }, "")].flatMap((each) => mistakesOf(each, compiler));
  return { rules: rulesOf(schema, true, storedRules), ruleMistakes: mistakes.map((text) => `${kind.name}: ${text}`) };
}

interface Placed {
  readonly place: SchemaPlace;
  readonly path: string;
}

function mistakesOf({ place, path }: Placed, compiler: RuleCompiler): readonly string[] {
  if ((place.schema["x-kubernetes-validations"] ?? []).length === 0) return [];
  const node = compiler.compile(place), at = path === "" ? "the object" : path;
  if (typeof node === "string") return [`the rules of ${at} cannot be compiled: ${node}`];
  const times = cardinality(place) ?? node.occurrencesMax;
  return node.rules.flatMap(({ rule: { rule }, error, messageError, costMax }) => {
    const about = `the rule ${valueText(rule)} of ${at}`, wrong = error ?? messageError;
    if (wrong !== undefined) return [`${about} cannot be compiled: ${wrong}`];
    const cost = product(costMax, times);
    if (cost <= BigInt(celRuleCostMax)) return [];
    return [`${about} may cost ${cost} units; at most ${celRuleCostMax} are allowed: publish maxItems, maxProperties or maxLength`];
  });
}

function* placesOf(place: SchemaPlace, path: string): Generator<Placed> {
  yield { place, path };
  const { properties = {}, items } = place.schema, others = otherMembers(place.schema);
  const below = (schema: StructuralSchema, step: SchemaPlace["step"], at: string) => placesOf({ schema, parent: place, step }, at);
  for (const [property, schema] of Object.entries(properties)) {
    yield* below(schema, { property }, path === "" ? property : `${path}.${property}`);
  }
  if (others !== undefined) yield* below(others, "additionalProperties", `${path}[*]`);
  if (items !== undefined) yield* below(items, "items", `${path}[*]`);
}
