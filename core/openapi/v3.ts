/** OpenAPI v3: one document for each group version, and an index of them. */
import { openapiReference, openapiSchemas } from "../derive/openapi.ts";
import type { DescribedCatalog, DescribedVersion } from "./described-catalog.ts";
import { serverRelease } from "../releases.ts";
import { type KindsOf, metaRoots } from "./components.ts";
import { hasDeclared, isDeclared } from "../define/declared.ts";
import { discoveryOperation, type Operation, versionOperations, versionPath } from "./operations.ts";
import { bearerToken, customInfo, type Dialect, extensions, info, pathItems, phrases, rootsOf, type Value } from "./paths.ts";

/** What a document describes. */
export interface Described {
  /** Undefined for a document of discovery. */
  readonly version: DescribedVersion | undefined;
  readonly operations: () => readonly Operation[];
}

/** Returns the documents by their names in the index: `api/v1`, `apis/GROUP`, `version`. */
export function v3Operations(catalog: DescribedCatalog): ReadonlyMap<string, Described> {
  const { media, groups } = catalog;
  const single = (name: string, root: keyof typeof metaRoots): [string, Described] => [
    name,
    { version: undefined, operations: () => [discoveryOperation(`/${name}/`, metaRoots[root], media)] },
  ];
  return new Map([
    single("api", "APIVersions"),
    single("apis", "APIGroupList"),
    single("version", "VersionInfo"),
    // As upstream, groups of custom resources alone have no document of their own.
    ...groups.filter((group) => group.name !== "" && hasDeclared(group)).map(({ name }) => single(`apis/${name}`, "APIGroup")),
    ...groups.flatMap(({ versions }) => versions).map((version): [string, Described] => [
      versionPath(version).slice(1),
      { version, operations: () => versionOperations(version, media) },
    ]),
  ].toSorted(([a], [b]) => a < b ? -1 : 1));
}

/** One document. Upstream's documents of custom resources have their own title and no security schemes. */
export function v3Document(catalog: DescribedCatalog, { version, operations: some }: Described, kinds: KindsOf): Value {
  const { names, gates } = catalog, operations = some();
  const custom = version !== undefined && !isDeclared(version);
  const schemas = openapiSchemas(rootsOf(operations), { version: "v3", names, kinds, enums: gates.isOn("OpenAPIEnums") });
  return {
    openapi: "3.0.0",
    info: custom ? customInfo(names.platform) : info(names.platform, serverRelease),
    paths: Object.fromEntries(pathItems(operations, dialect(catalog))),
    components: { schemas, ...(custom ? {} : { securitySchemes: { BearerToken: bearerToken } }) },
  };
}

function dialect({ names }: DescribedCatalog): Dialect {
  const content = (mediaTypes: readonly string[], schema: Value) =>
    Object.fromEntries(mediaTypes.toSorted().map((type) => [type, { schema }]));
  return {
    parameter: ({ name, in: place, type, description }) => ({
      name,
      in: place,
      description,
      ...(place === "path" ? { required: true } : {}),
      schema: { type, uniqueItems: true },
    }),
    operation: (operation, parameters) => {
      const { tag, description, id, body, responses, produces, consumes } = operation;
      const answers = responses.map(({ code, root }): [string, Value] => [
        String(code),
        {
          description: phrases[code]!,
          content: content(produces, root === undefined ? { type: "string" } : openapiReference(root, { version: "v3", names })),
        },
      ]);
      return {
        tags: [tag],
        description,
        operationId: id,
        ...(parameters.length > 0 ? { parameters } : {}),
        ...(body === undefined ? {} : {
          requestBody: {
            content: content(consumes, openapiReference(body.root, { version: "v3", names })),
            ...(body.required ? { required: true } : {}),
          },
        }),
        responses: { ...Object.fromEntries(answers), 401: { description: phrases[401]! } },
        ...extensions(operation),
      };
    },
  };
}
