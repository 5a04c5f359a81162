/** Whether a resource is served. */
import type { Api } from "../../plugin.ts";
import { type Names, spell } from "../../toolbox.ts";

/** Whether a resource supports a verb, that is, --runtime-config has not disabled it. `groupVersion` may contain `{domain}`. */
export function isServed(
  { api, names }: { readonly api: Pick<Api, "collections">; readonly names: Names },
  { groupVersion, resource }: { readonly groupVersion: string; readonly resource: string },
  verb: "create" | "watch" = "watch",
): boolean {
  const home = spell(names, groupVersion);
  return api.collections(verb).some((each) => each.groupVersion === home && each.resource === resource);
}
