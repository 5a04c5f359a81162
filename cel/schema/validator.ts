/** The rules of a schema as a tree that follows the schema. Rules are compiled when a value of their node is validated first. */
import type { ValidationRule } from "../../core/structural-schema.ts";
import { Declarations, type Declared } from "./declared.ts";
import { escapeName } from "./escape.ts";
import { type CompiledRule, compileRules, type RuleEnvironments } from "./rule.ts";
import { otherSchema, type StructuralSchema } from "./structural.ts";

/** The rules of a node and of those below it. */
export interface RuleNode {
  readonly schema: StructuralSchema;
  /** Whether the value is a resource: the custom resource itself, or an embedded one. */
  readonly isResource: boolean;
  /** The compiled rules of this node; a string with the reason if its values have no type. */
  readonly rules: readonly CompiledRule[] | string;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly others: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
}

/** Returns the rules of a schema; undefined if it has none. `isResource`: it is the root of a resource. */
export function rulesOf(schema: StructuralSchema, isResource: boolean, environments: RuleEnvironments): RuleNode | undefined {
  if (!containsRules(schema)) return undefined;
  const declarations = new Declarations();
  return new Builder(declarations, environments).node(schema, schema, isResource, declarations.of(schema, isResource));
}

/** Whether the schema or one below it has rules. Those of conditions do not count. */
export function containsRules(schema: StructuralSchema): boolean {
  if ((schema["x-kubernetes-validations"] ?? []).length > 0) return true;
  const { items, properties = {} } = schema, others = otherSchema(schema);
  if (items !== undefined && items !== null && containsRules(items)) return true;
  return others !== undefined && containsRules(others) || Object.values(properties).some(containsRules);
}

class Builder {
  readonly #declarations: Declarations;
  readonly #environments: RuleEnvironments;
  constructor(declarations: Declarations, environments: RuleEnvironments) {
    this.#declarations = declarations;
    this.#environments = environments;
  }

  /** `source` is the schema with the rules, `schema` the one with the structure. They differ within `allOf`. */
  node(source: StructuralSchema, schema: StructuralSchema, isResource: boolean, declared: Declared | undefined): RuleNode | undefined {
    const properties = this.#properties(source, schema, declared);
    const of = declared?.tag === "list" || declared?.tag === "map" ? declared.of : undefined;
    const items = this.#inner(source.items, schema.items, of);
    const others = this.#inner(otherSchema(source), otherSchema(schema), of);
    const allOf = (source.allOf ?? []).flatMap((each) => this.node(each, schema, isResource, declared) ?? []);
    const rules = source["x-kubernetes-validations"] ?? [];
    if (rules.length === 0 && properties.size === 0 && items === undefined && others === undefined && allOf.length === 0) return undefined;
    return new LazyNode({ schema, isResource, properties, items, others, allOf }, rules, declared, this.#environments);
  }

  #inner(source: StructuralSchema | undefined, schema: StructuralSchema | undefined, declared: Declared | undefined): RuleNode | undefined {
    if (source === undefined || schema === undefined || source === null || schema === null) return undefined;
    return this.node(source, schema, schema["x-kubernetes-embedded-resource"] === true, declared);
  }

  #properties(source: StructuralSchema, schema: StructuralSchema, declared: Declared | undefined): ReadonlyMap<string, RuleNode> {
    const nodes = new Map<string, RuleNode>();
    for (const [name, own] of Object.entries(source.properties ?? {})) {
      const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
      if (property === undefined) continue;
      const isResource = property["x-kubernetes-embedded-resource"] === true, identifier = escapeName(name);
      const field = identifier === undefined
        ? this.#declarations.of(property, isResource)
        : declared?.tag === "object"
        ? declared.fields.get(identifier)
        : undefined;
      const node = field === undefined ? undefined : this.node(own, property, isResource, field);
      if (node !== undefined) nodes.set(name, node);
    }
    return nodes;
  }
}

class LazyNode implements RuleNode {
  readonly schema: StructuralSchema;
  readonly isResource: boolean;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly others: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
  #rules: readonly CompiledRule[] | string | undefined;
  #compile: () => readonly CompiledRule[] | string;

  constructor(
    node: Omit<RuleNode, "rules">,
    rules: readonly ValidationRule[],
    declared: Declared | undefined,
    environments: RuleEnvironments,
  ) {
    this.schema = node.schema;
    this.isResource = node.isResource;
    this.properties = node.properties;
    this.others = node.others;
    this.items = node.items;
    this.allOf = node.allOf;
    if (rules.length === 0) this.#rules = [];
    this.#compile = () =>
      declared === undefined
        ? "failed to convert to declType for CEL validation rules"
        : compileRules(rules, node.schema, declared, environments);
  }

  get rules(): readonly CompiledRule[] | string {
    return this.#rules ??= this.#compile();
  }
}
