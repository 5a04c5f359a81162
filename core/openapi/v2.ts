/** OpenAPI v2 (Swagger): one document with everything, for old clients. */
import { openapiReference, openapiSchemas } from "../derive/openapi.ts";
import type { DescribedCatalog } from "./described-catalog.ts";
import { serverRelease } from "../releases.ts";
import { append } from "../append.ts";
import { nextTurn } from "../turns.ts";
import type { KindsOf } from "./components.ts";
import { keptParts } from "./kept.ts";
import type { Described } from "./v3.ts";
import type { Operation } from "./operations.ts";
import type { Parameter } from "./parameters.ts";
import { bearerToken, type Dialect, extensions, info, pathItems, phrases, rootsOf, type Value } from "./paths.ts";
import { valueText } from "../value-text.ts";

/** The part of one group version, or of one document of discovery. Members are JSON: a name in quotes, a colon and the value. */
interface Part {
  readonly paths: readonly string[];
  /** Definitions by name, as JSON. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly parameters: readonly SharedParameter[];
}

const kept = keptParts<Part>();
/** Milliseconds of work after which other requests run. */
const workMs = 20;

/**
 * Resolves with the document of all operations, as JSON. It is made in parts, with turns of the event loop in between; parts that are
 * still valid are kept. A part that cannot be made is left out and reported by its name in the index of v3.
 */
export async function v2Text(
  catalog: DescribedCatalog,
  described: ReadonlyMap<string, Described>,
  kinds: KindsOf,
  report: (error: unknown, name: string) => void,
): Promise<string> {
  // Paths end with a slash or continue after it: in this order, those of all parts are sorted.
  const sorted = [...described].map(([name, each]): [string, Described] => [`${name}/`, each]).toSorted(byName);
  const shared = new SharedParameters(), definitions = new Map<string, string>(), paths: string[] = [];
  let since = performance.now();
  for (const [name, { version, operations }] of sorted) {
    const make = (kinds: KindsOf) => partOf(catalog, operations(), kinds, shared, definitions);
    try {
      const part = version === undefined
        ? make(kinds)
        : kept(version, catalog, kinds, make, ({ parameters }) => shared.accepts(parameters));
      append(paths, part.paths);
      for (const [definition, text] of part.definitions) definitions.set(definition, text);
    } catch (error) {
      report(error, name.slice(0, -1));
    }
    if (performance.now() - since < workMs) continue;
    await nextTurn();
    since = performance.now();
  }
  const texts = [...definitions].toSorted(byName).map(([name, text]) => `${valueText(name)}:${text}`);
  const head = valueText({ swagger: "2.0", info: info(catalog.names.platform, serverRelease) }).slice(0, -1);
  const tail = valueText({ securityDefinitions: { BearerToken: bearerToken }, security: [{ BearerToken: [] }] }).slice(1);
  return `${head},"paths":{${paths.join(",")}},"definitions":{${texts.join(",")}},"parameters":{${shared.text()}},${tail}`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** `known`: definitions of other parts, whose texts are shared. */
function partOf(
  catalog: DescribedCatalog,
  operations: readonly Operation[],
  kinds: KindsOf,
  shared: SharedParameters,
  known: ReadonlyMap<string, string>,
): Part {
  const { names, gates } = catalog;
  const parameters = new Map<string, SharedParameter>();
  const nameOf = (wanted: string, value: Value) => {
    const text = valueText(value), name = shared.nameOf(wanted, text);
    parameters.set(name, { wanted, text, name });
    return name;
  };
  const paths = pathItems(operations, dialect(catalog, nameOf)).map(([path, item]) => `${valueText(path)}:${valueText(item)}`);
  const schemas = openapiSchemas(rootsOf(operations), { version: "v2", names, kinds, enums: gates.isOn("OpenAPIEnums") });
  const definitions = new Map(
    Object.entries(schemas).map(([name, schema]) => {
      const text = valueText(schema), other = known.get(name);
      return [name, other === text ? other : text];
    }),
  );
  return { paths, definitions, parameters: [...parameters.values()] };
}

/**
 * Parameters of many operations are stored once and referenced, except names of objects, `dryRun` and `fieldValidation`: kubectl before
 * 1.27 looks for the last two in the operations themselves.
 */
const ownParameters = new Set(["name", "dryRun", "fieldValidation"]);

/** Adds a shared parameter, and returns its name. */
type NameParameter = (wanted: string, value: Value) => string;

function dialect({ names }: DescribedCatalog, nameOf: NameParameter): Dialect {
  return {
    parameter: (parameter) => {
      const value = parameterValue(parameter);
      if (ownParameters.has(parameter.name)) return value;
      return { $ref: `#/parameters/${nameOf(parameter.name, value)}` };
    },
    operation: (operation, parameters) => {
      const { tag, description, id, responses, produces, consumes } = operation;
      const answers = responses.map(({ code, root }): [string, Value] => [
        String(code),
        { description: phrases[code]!, schema: root === undefined ? { type: "string" } : openapiReference(root, { version: "v2", names }) },
      ]);
      const all = [...bodyParameter(operation, names, nameOf), ...parameters];
      return {
        description,
        consumes,
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
function bodyParameter({ body }: Operation, names: DescribedCatalog["names"], nameOf: NameParameter): readonly Value[] {
  if (body === undefined) return [];
  const value: Value = {
    name: "body",
    in: "body",
    ...(body.required ? { required: true } : {}),
    schema: openapiReference(body.root, { version: "v2", names }),
  };
  if (body.root.node.package !== "meta/v1") return [value];
  return [{ $ref: `#/parameters/${nameOf(`body-${body.root.node.name}`, value)}` }];
}

interface SharedParameter {
  readonly wanted: string;
  /** JSON. */
  readonly text: string;
  readonly name: string;
}

/** The parameters that operations refer to. */
class SharedParameters {
  readonly #texts = new Map<string, string>();

  /** The name of a parameter. Different parameters with the same name get a number. */
  nameOf(wanted: string, text: string): string {
    for (let at = 1;; at++) {
      const name = at === 1 ? wanted : `${wanted}-${at}`;
      const taken = this.#texts.get(name);
      if (taken !== undefined && taken !== text) continue;
      this.#texts.set(name, text);
      return name;
    }
  }
  /** Adds the parameters of a part that was made before. Returns whether their names are still the same. */
  accepts(parameters: readonly SharedParameter[]): boolean {
    return parameters.every(({ wanted, text, name }) => this.nameOf(wanted, text) === name);
  }
  text(): string {
    return [...this.#texts].toSorted(byName).map(([name, text]) => `${valueText(name)}:${text}`).join(",");
  }
}
