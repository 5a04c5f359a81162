/** Parts of documents that outlive a catalog, so that a change of one version does not rebuild the others. */
import type { DescribedCatalog, DescribedVersion } from "./described-catalog.ts";
import type { KindsOf } from "./components.ts";
import { valueText } from "../value-text.ts";

/** A part, and what it was made of beside the endpoints of its version. */
interface Kept<T> {
  readonly settings: string;
  /** The kinds of each component in the part, as text. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly part: T;
}

/**
 * Returns the part of a version. `make` is called, with the kinds that it must use, unless the last part of the version was made of the
 * same and is valid.
 */
export type KeepPart<T> = (
  version: DescribedVersion,
  catalog: DescribedCatalog,
  kinds: KindsOf,
  make: (kinds: KindsOf) => T,
  isValid?: (part: T) => boolean,
) => T;

export function keptParts<T>(): KeepPart<T> {
  const parts = new WeakMap<DescribedVersion, Kept<T>>();
  return (version, catalog, kinds, make, isValid = () => true) => {
    const known = parts.get(version), settings = settingsOf(catalog);
    if (known?.settings === settings && isSame(known.kinds, kinds) && isValid(known.part)) return known.part;
    const read = new Map<string, string>();
    const part = make((component) => {
      const found = kinds(component);
      read.set(component, valueText(found));
      return found;
    });
    parts.set(version, { settings, kinds: read, part });
    return part;
  };
}

function settingsOf({ names, media, gates }: DescribedCatalog): string {
  return valueText([names.domain, names.platform, media.types, gates.isOn("OpenAPIEnums")]);
}

function isSame(read: ReadonlyMap<string, string>, kinds: KindsOf): boolean {
  for (const [component, text] of read) if (valueText(kinds(component)) !== text) return false;
  return true;
}
