/** Groups operations into path items. Parameters that all operations of a path share are stored once, with the path. */
import type { OpenapiRoot, OpenapiSchema } from "../derive/openapi.ts";
import type { Json } from "../schema.ts";
import type { Operation } from "./operations.ts";
import type { Parameter } from "./parameters.ts";

export type Value = { readonly [key: string]: Json };

/** The notation of a version of OpenAPI. */
export interface Dialect {
  parameter(parameter: Parameter): Value;
  /** The operation with its own parameters, in the notation. */
  operation(operation: Operation, parameters: readonly Value[]): Value;
}

/** Path items by path, in the order of paths. */
export function pathItems(operations: readonly Operation[], dialect: Dialect): readonly (readonly [path: string, item: Value])[] {
  const byPath = [...Map.groupBy(operations, ({ path }) => path)].toSorted(([a], [b]) => a < b ? -1 : 1);
  return byPath.map(([path, some]) => [path, pathItem(some, dialect)]);
}

function pathItem(operations: readonly Operation[], dialect: Dialect): Value {
  const counts = new Map<string, number>();
  for (const { name } of operations.flatMap(({ parameters }) => parameters)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isCommon = ({ name }: Parameter) => counts.get(name) === operations.length;
  const written = (parameters: readonly Parameter[]) => parameters.toSorted((a, b) => a.name < b.name ? -1 : 1).map(dialect.parameter);
  const common = written(operations[0]!.parameters.filter(isCommon));
  const byMethod = operations.map((operation): [string, Value] => [
    operation.method,
    dialect.operation(operation, written(operation.parameters.filter((parameter) => !isCommon(parameter)))),
  ]);
  return {
    ...Object.fromEntries(byMethod.toSorted(([a], [b]) => a < b ? -1 : 1)),
    ...(common.length > 0 ? { parameters: common } : {}),
  };
}

/** Returns all roots of the operations. */
export function rootsOf(operations: readonly Operation[]): readonly OpenapiRoot[] {
  return operations.flatMap((
    { body, responses },
  ) => [...responses.flatMap(({ root }) => root ?? []), ...(body === undefined ? [] : [body.root])]);
}

/** Reason phrases of the responses. */
export const phrases: Readonly<Record<number, string>> = Object.freeze({ 200: "OK", 201: "Created", 202: "Accepted", 401: "Unauthorized" });

export function extensions({ action, kind }: Operation): Value {
  return {
    ...(action === undefined ? {} : { "x-kubernetes-action": action }),
    ...(kind === undefined ? {} : { "x-kubernetes-group-version-kind": { group: kind.group, kind: kind.kind, version: kind.version } }),
  };
}

/** Returns the `info` of a document: the platform's name with a capital, and the release. */
export function info(platform: string, release: string): Value {
  return { title: platform.slice(0, 1).toUpperCase() + platform.slice(1), version: release };
}

/** Returns the `info` of a document of custom resources. */
export function customInfo(platform: string): Value {
  const { title } = info(platform, "");
  return { title: `${title} CRD Swagger`, version: "v0.1.0" };
}

export const bearerToken: OpenapiSchema = Object.freeze({
  description: "Bearer Token authentication",
  type: "apiKey",
  name: "authorization",
  in: "header",
});
