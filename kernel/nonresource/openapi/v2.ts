/** OpenAPI v2 (Swagger): one document with everything, for old clients. */
import { openapiReference, openapiSchemas } from "../../../core/derive/openapi.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { targetRelease } from "../../catalog/gates.ts";
import type { KindsOf } from "./components.ts";
import type { Operation } from "./operations.ts";
import type { Parameter } from "./parameters.ts";
import { bearerToken, type Dialect, extensions, info, pathItems, phrases, rootsOf, type Value } from "./paths.ts";

/** The document of all operations. */
export function v2Document(catalog: Catalog, operations: readonly Operation[], kinds: KindsOf): Value {
  const { names, gates } = catalog;
  const shared = new Map<string, Value>();
  const paths = Object.fromEntries(pathItems(operations, dialect(catalog, shared)));
  return {
    swagger: "2.0",
    info: info(names.platform, targetRelease),
    paths,
    definitions: openapiSchemas(rootsOf(operations), { version: "v2", names, kinds, enums: gates.isOn("OpenAPIEnums") }),
    parameters: Object.fromEntries([...shared].toSorted(([a], [b]) => a < b ? -1 : 1)),
    securityDefinitions: { BearerToken: bearerToken },
    security: [{ BearerToken: [] }],
  };
}

/**
 * Parameters of many operations are stored once and referenced, except names of objects, `dryRun` and `fieldValidation`: kubectl before
 * 1.27 looks for the last two in the operations themselves.
 */
const ownParameters = new Set(["name", "dryRun", "fieldValidation"]);

function dialect({ names }: Catalog, shared: Map<string, Value>): Dialect {
  return {
    parameter: (parameter) => {
      const value = parameterValue(parameter);
      if (ownParameters.has(parameter.name)) return value;
      const name = sharedName(parameter, value, shared);
      shared.set(name, value);
      return { $ref: `#/parameters/${name}` };
    },
    operation: (operation, parameters) => {
      const { tag, description, id, responses, produces, body, action } = operation;
      const answers = responses.map(({ code, root }): [string, Value] => [
        String(code),
        { description: phrases[code]!, schema: openapiReference(root, { version: "v2", names }) },
      ]);
      const all = [...bodyParameter(operation, names, shared), ...parameters];
      return {
        description,
        consumes: body?.mediaTypes ?? (action === undefined ? produces : ["*/*"]),
        produces,
        schemes: ["https"],
        tags: [tag],
        operationId: id,
        ...(all.length > 0 ? { parameters: all } : {}),
        responses: { ...Object.fromEntries(answers), 401: { description: phrases[401]! } },
        ...extensions(operation),
      };
    },
  };
}

function parameterValue({ name, in: place, type, description }: Parameter): Value {
  return { uniqueItems: true, type, description, name, in: place, ...(place === "path" ? { required: true } : {}) };
}

/** In v2 a body is a parameter. Those of options and patches are shared, those of objects are not. */
function bodyParameter({ body }: Operation, names: Catalog["names"], shared: Map<string, Value>): readonly Value[] {
  if (body === undefined) return [];
  const value: Value = {
    name: "body",
    in: "body",
    ...(body.required ? { required: true } : {}),
    schema: openapiReference(body.root, { version: "v2", names }),
  };
  if (body.root.node.package !== "meta/v1") return [value];
  const name = `body-${body.root.node.name}`;
  shared.set(name, value);
  return [{ $ref: `#/parameters/${name}` }];
}

/** Different parameters with the same name get a number. */
function sharedName({ name }: Parameter, value: Value, shared: ReadonlyMap<string, Value>): string {
  for (let at = 1;; at++) {
    const candidate = at === 1 ? name : `${name}-${at}`;
    const taken = shared.get(candidate);
    if (taken === undefined || JSON.stringify(taken) === JSON.stringify(value)) return candidate;
  }
}
