/** The group versions that definitions serve, by the names of their APIServices. */
import type { ApiObject } from "../../plugin.ts";

/** The parts of a definition that are read here. */
export type Definition = ApiObject & {
  readonly spec: { readonly group: string; readonly versions: readonly { readonly name: string; readonly served: boolean }[] };
};

/** A group version. */
export interface DefinedVersion {
  readonly group: string;
  readonly version: string;
}

/** Follows definitions. A group version is there while at least one of them serves it. */
export class DefinedVersions {
  /** The names of APIServices by the name of the definition. */
  readonly #byDefinition = new Map<string, ReadonlyMap<string, DefinedVersion>>();
  readonly #served = new Map<string, { readonly version: DefinedVersion; readonly by: Set<string> }>();

  /** Takes a change, and returns the names of the APIServices of the definition before and after it. */
  change({ definition, isGone }: { readonly definition: Definition; readonly isGone: boolean }): ReadonlySet<string> {
    const { metadata: { name = "" } } = definition;
    const before = this.#byDefinition.get(name) ?? none, next = isGone ? none : versionsOf(definition);
    for (const each of before.keys()) if (!next.has(each)) this.#remove(each, name);
    for (const [each, version] of next) this.#add(each, version, name);
    if (isGone) this.#byDefinition.delete(name);
    else this.#byDefinition.set(name, next);
    return new Set([...before.keys(), ...next.keys()]);
  }
  /** Returns the group version with this APIService; undefined if no definition serves it. */
  get(name: string): DefinedVersion | undefined {
    return this.#served.get(name)?.version;
  }
  names(): readonly string[] {
    return [...this.#served.keys()];
  }

  #add(name: string, version: DefinedVersion, definition: string): void {
    const known = this.#served.get(name);
    if (known === undefined) this.#served.set(name, { version, by: new Set([definition]) });
    else known.by.add(definition);
  }
  #remove(name: string, definition: string): void {
    const by = this.#served.get(name)?.by;
    by?.delete(definition);
    if (by?.size === 0) this.#served.delete(name);
  }
}

const none: ReadonlyMap<string, DefinedVersion> = new Map();

function versionsOf({ spec: { group, versions } }: Definition): ReadonlyMap<string, DefinedVersion> {
  const served = versions.filter(({ served }) => served);
  return new Map(served.map(({ name }) => [`${name}.${group}`, { group, version: name }]));
}
