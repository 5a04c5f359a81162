/** Checks the expressions of a policy against the types of one kind, without a program (upstream: policy/validating/typechecking.go). */
import type { StructuralSchema } from "../../core/structural-schema.ts";
import { analyse } from "../compile.ts";
import type { Environment, Variable } from "../declarations.ts";
import { extend } from "../environment.ts";
import { authorizerType } from "../functions/authorizer/authorizer.ts";
import { formatIssues } from "../issues.ts";
import { Declarations } from "../schema/declared.ts";
import { SchemaTypes } from "../schema/types.ts";
import { dynType, type Type, type TypeSource } from "../types.ts";
import { namespaceType, PolicyTypes, requestType, variablesType } from "./types.ts";

/** A kind and its schema. Without a schema, or with one whose values have no type, the values are dynamic. */
export interface CheckedKind {
  readonly kind: string;
  readonly schema: StructuralSchema | undefined;
}

export class PolicyTypeChecker {
  readonly #types: PolicyTypes;
  readonly #environment: Environment;

  /** `params`: the kind of the parameters; undefined for a policy without them. */
  constructor(base: Environment, object: CheckedKind, params: CheckedKind | undefined) {
    const self = typesOf(object, 1), other = params && typesOf(params, 2);
    this.#types = new PolicyTypes(joinSources([self, other].filter((each) => each !== undefined)));
    this.#environment = extend(base, { variables: variablesOf(self?.self, params && (other?.self ?? dynType)), types: this.#types });
  }

  /** Declares a variable of the policy. One with mistakes is dynamic. */
  declare(name: string, expression: string): void {
    const analysed = analyse(expression, this.#environment);
    this.#types.declare(name, analysed.ok ? analysed.checked.outputType : undefined);
  }

  /** Declares a variable of the policy without a type. */
  declareDynamic(name: string): void {
    this.#types.declare(name, undefined);
  }

  /** The mistakes in an expression; undefined if it has none. Any type of result is allowed. */
  check(expression: string): string | undefined {
    const analysed = analyse(expression, this.#environment);
    return analysed.ok ? undefined : formatIssues(expression, analysed.issues);
  }
}

/** Returns the types of a schema. `number` makes their names differ from those of the other schema. */
function typesOf({ kind, schema }: CheckedKind, number: number): SchemaTypes | undefined {
  const declared = schema && new Declarations().of(schema, true);
  return declared && new SchemaTypes(declared, `${kind}${number}`);
}

/** As upstream, `authorizer.requestResource` is not declared. */
function variablesOf(object: Type = dynType, params: Type | undefined): readonly Variable[] {
  return [
    { name: "object", type: object },
    { name: "oldObject", type: object },
    { name: "namespaceObject", type: namespaceType },
    { name: "request", type: requestType },
    { name: "variables", type: variablesType },
    { name: "authorizer", type: authorizerType },
    ...params === undefined ? [] : [{ name: "params", type: params }],
  ];
}

function joinSources(sources: readonly TypeSource[]): TypeSource {
  const of = (type: string) => sources.find((source) => source.hasType(type));
  return {
    hasType: (name) => of(name) !== undefined,
    field: (type, field) => of(type)?.field(type, field),
    fieldNames: (type) => of(type)?.fieldNames(type) ?? [],
  };
}
