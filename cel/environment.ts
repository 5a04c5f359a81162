/**
 * Makes environments, which define the variables, functions, macros and types that an expression can name. New expressions are compiled
 * with the libraries of the compatibility version, stored ones with all.
 */
import type { Environment, FunctionDeclaration, Macro, Overload, Variable } from "./declarations.ts";
import type { Library } from "./functions/library.ts";
import { authorizerLibrary, authorizerSelectorsLibrary } from "./functions/authorizer/authorizer.ts";
import { comprehensionsLibrary } from "./functions/comprehensions.ts";
import { formatLibrary } from "./functions/formats/formats.ts";
import { kubernetesListsLibrary } from "./functions/lists/kubernetes.ts";
import { listsLibrary } from "./functions/lists/lists.ts";
import { literalsLibrary } from "./functions/literals.ts";
import { cidrLibrary } from "./functions/net/cidr.ts";
import { ipLibrary } from "./functions/net/ip.ts";
import { optionalLibrary } from "./functions/optional.ts";
import { quantityLibrary } from "./functions/quantity/quantity.ts";
import { regexLibrary } from "./functions/regex.ts";
import { semverLibrary } from "./functions/semver/semver.ts";
import { setsLibrary } from "./functions/sets.ts";
import { standardLibrary } from "./functions/standard.ts";
import { stringsLibrary } from "./functions/strings/strings.ts";
import { urlLibrary } from "./functions/url/url.ts";
import type { Type, TypeSource } from "./types.ts";

/** Libraries of all versions, in upstream's order. */
export const libraries: readonly Library[] = [
  standardLibrary,
  urlLibrary,
  regexLibrary,
  kubernetesListsLibrary,
  authorizerLibrary,
  optionalLibrary,
  quantityLibrary,
  literalsLibrary,
  stringsLibrary,
  setsLibrary,
  ipLibrary,
  cidrLibrary,
  formatLibrary,
  authorizerSelectorsLibrary,
  comprehensionsLibrary,
  semverLibrary,
  listsLibrary,
];

/** A version that includes every library, for expressions that are already stored. */
export const allVersions: number = Infinity;

export interface EnvironmentOptions {
  /** The minor version of Kubernetes 1.x whose libraries are available. Default: all libraries. */
  readonly version?: number;
  readonly libraries?: readonly Library[];
  readonly variables?: readonly Variable[];
  readonly types?: TypeSource;
  /** Makes objects of these types. By default they cannot be constructed. */
  readonly construct?: NonNullable<Environment["construct"]>;
  readonly container?: string;
}

/** The declarations that an extension adds to an environment. */
export type EnvironmentExtension = Omit<EnvironmentOptions, "version">;

const noTypes: TypeSource = { hasType: () => false, field: () => undefined, fieldNames: () => [] };
const optionalSyntaxSince = 28;

const empty: Environment = Object.freeze({
  variables: new Map(),
  functions: new Map(),
  macros: [],
  types: noTypes,
  typeNames: new Map(),
  container: "",
  homogeneousLiterals: false,
  optionalSyntax: false,
  validators: [],
});

/** Makes the environment of a kube-apiserver of a version, with the variables and types that the caller declares. */
export function environment(options: EnvironmentOptions = {}): Environment {
  const version = options.version ?? allVersions;
  const available = (options.libraries ?? libraries).filter(({ since }) => since <= version);
  return extend({ ...empty, optionalSyntax: version >= optionalSyntaxSince }, { ...options, libraries: available });
}

/** Makes an environment with more variables, libraries or types. A type source replaces that of the base. */
export function extend(base: Environment, extension: EnvironmentExtension): Environment {
  const added = extension.libraries ?? [];
  return {
    ...base,
    variables: withVariables(base.variables, extension.variables ?? []),
    functions: withFunctions(base.functions, added.flatMap(({ functions }) => functions)),
    macros: [...base.macros, ...added.flatMap((library): readonly Macro[] => library.macros ?? [])],
    types: extension.types ?? base.types,
    ...(extension.construct === undefined ? {} : { construct: extension.construct }),
    typeNames: withTypeNames(base.typeNames, added),
    container: extension.container ?? base.container,
    validators: [...base.validators, ...added.flatMap(({ validate }) => validate === undefined ? [] : [validate])],
  };
}

function withVariables(base: ReadonlyMap<string, Variable>, added: readonly Variable[]): ReadonlyMap<string, Variable> {
  if (added.length === 0) return base;
  return new Map([...base, ...added.map((variable): [string, Variable] => [variable.name, variable])]);
}

function withTypeNames(base: ReadonlyMap<string, Type>, added: readonly Library[]): ReadonlyMap<string, Type> {
  if (!added.some(({ typeNames }) => typeNames !== undefined)) return base;
  return new Map([...base, ...added.flatMap(({ typeNames }) => [...typeNames ?? []])]);
}

type Functions = ReadonlyMap<string, FunctionDeclaration>;

function withFunctions(base: Functions, added: readonly FunctionDeclaration[]): Functions {
  if (added.length === 0) return base;
  const functions = new Map(base);
  for (const declaration of added) {
    const known = functions.get(declaration.name);
    functions.set(declaration.name, known === undefined ? declaration : mergeDeclarations(known, declaration));
  }
  return functions;
}

/**
 * Merges the declarations of a function that two libraries have. Each overload keeps the costs of its own declaration; an overload with the
 * same id is replaced.
 */
function mergeDeclarations(first: FunctionDeclaration, second: FunctionDeclaration): FunctionDeclaration {
  const replaced = new Set(second.overloads.map(({ id }) => id));
  const kept = first.overloads.filter(({ id }) => !replaced.has(id));
  const isSecond = (id: string): boolean => replaced.has(id);
  return { name: first.name, overloads: [...kept, ...second.overloads], ...mergeCosts(first, second, isSecond, kept) };
}

function mergeCosts(
  first: FunctionDeclaration,
  second: FunctionDeclaration,
  isSecond: (id: string) => boolean,
  kept: readonly Overload[],
): Pick<FunctionDeclaration, "cost" | "estimate"> {
  const isFirst = new Set(kept.map(({ id }) => id));
  // If the overload of a call is not known before it runs, the costs are those of the declaration that states some.
  const owner = (id: string, key: "cost" | "estimate"): FunctionDeclaration =>
    isSecond(id) ? second : isFirst.has(id) ? first : first[key] === undefined ? second : first;
  const costs: Pick<FunctionDeclaration, "cost" | "estimate"> = {
    cost: (id, args, result) => owner(id, "cost").cost?.(id, args, result) ?? 1,
    estimate: (call, estimator) => owner(call.overload, "estimate").estimate?.(call, estimator),
  };
  const { cost, estimate } = costs;
  return {
    ...(first.cost === undefined && second.cost === undefined || cost === undefined ? {} : { cost }),
    ...(first.estimate === undefined && second.estimate === undefined || estimate === undefined ? {} : { estimate }),
  };
}
