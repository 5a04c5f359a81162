/** The kind of a resource as it is typed: `deployments`, `deploy`, `Deployment`, `deployments.apps`. */
import { nearest } from "../../core/nearest.ts";
import { valueText } from "../../core/value-text.ts";
import { placeOf } from "../../kernel/conversion/converted-kinds.ts";
import type { Catalog, StoredKind } from "../../kernel/catalog/catalog.ts";
import { ConfigError } from "../../server/config/parse.ts";

/** Returns the kinds with this name at one place of the store; several if their versions are converted by a webhook. Throws a ConfigError. */
export function kindsNamed({ stored }: Pick<Catalog, "stored">, word: string): readonly [StoredKind, ...StoredKind[]] {
  const wanted = word.toLowerCase(), places = new Map<string, [StoredKind, ...StoredKind[]]>();
  for (const kind of stored) {
    if (kind.under === "" || !namesOf(kind).includes(wanted)) continue;
    const place = placeOf(kind), others = places.get(place);
    if (others === undefined) places.set(place, [kind]);
    else others.push(kind);
  }
  const found = [...places.values()], core = found.filter(([{ group }]) => group === ""), [only, ...more] = core.length > 0 ? core : found;
  if (only === undefined) {
    const near = nearest(wanted, stored.flatMap(namesOf));
    const advice = near === undefined ? "" : `: did you mean "${near}"?`;
    throw new ConfigError([`no resource is named ${valueText(word.slice(0, 100))}${advice}`]);
  }
  if (more.length > 0) {
    const names = found.map(([kind]) => fullName(kind)).sort().join(", ");
    throw new ConfigError([`several resources are named ${valueText(word)}: ${names}`]);
  }
  return only;
}

/** `pods`, `deployments.apps`. */
export const fullName = ({ plural, group }: StoredKind): string => group === "" ? plural : `${plural}.${group}`;

function namesOf({ plural, group, resource: { kind, singular, shortNames = [] } }: StoredKind): readonly string[] {
  const short = [plural, singular ?? "", kind, ...shortNames].filter((name) => name !== "").map((name) => name.toLowerCase());
  return group === "" ? short : [...short, ...short.map((name) => `${name}.${group}`)];
}
