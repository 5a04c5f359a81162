/** Values at places that no kind of this server has. */
import { once } from "../../core/async.ts";
import { defaultNames, type Names, spell } from "../../core/names.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import { upstreamKinds } from "../../core/released/upstream-kinds.ts";
import type { Identity } from "../source/identity.ts";

/** Groups of kube-apiserver's own kinds; those of definitions and API services are not in the table. */
function ownGroups(names: Names): ReadonlySet<string> {
  const written = [...upstreamKinds.map(([groupVersion]) => groupVersion), "apiextensions.{domain}/v1", "apiregistration.{domain}/v1"];
  return new Set(written.map((each) => splitGroupVersion(spell(names, each)).group));
}

const groups = once(() => ownGroups(defaultNames));

/** Returns the resource, `widgets.example.com`, if the value is a custom resource by its key and its version; else undefined. */
export function customResourceOf(prefix: string, key: string, { apiVersion, encoding }: Identity): string | undefined {
  if (encoding !== "json" && encoding !== "cbor") return undefined;
  const [group = "", plural = "", ...rest] = key.slice(prefix.length + 1).split("/");
  if (rest.length === 0 || rest.length > 2 || !group.includes(".") || groups().has(group)) return undefined;
  return splitGroupVersion(apiVersion).group === group ? `${plural}.${group}` : undefined;
}
