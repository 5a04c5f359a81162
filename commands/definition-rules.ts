/** The rules of this server for definitions of custom resources, for files of them. */
import { DecodeError } from "../core/derive/decode.ts";
import { fieldErrorText } from "../core/field-error.ts";
import type { Names } from "../core/names.ts";
import type { Plugin } from "../core/plugin.ts";
import { serverReleases } from "../core/releases.ts";
import { type GroupVersion, splitGroupVersion } from "../core/versions.ts";
import type { Tree } from "../core/tree/tree.ts";
import { activeConfigOf } from "../server/config/active-config.ts";
import { defaults } from "../server/config/settings.ts";
import type { Catalog } from "../kernel/catalog/catalog.ts";
import { timeText } from "../kernel/request-context.ts";
import type { CheckObject, Rejection } from "./upgrade/server-rules.ts";

const kindOfDefinitions = "CustomResourceDefinition", resource = "customresourcedefinitions";

/** Checks the spec of definitions. The catalog of kinds is made for the first one. */
export function definitionRules(plugins: readonly Plugin[], names: Names): CheckObject {
  let catalog: Catalog | undefined;
  return (groupVersion, kind, tree) => {
    if (kind !== kindOfDefinitions) return [];
    catalog ??= activeConfigOf({ ...defaults, "group-domain": names.domain }, plugins).catalog;
    return rejections(catalog, groupVersion, tree);
  };
}

/** Fields that are equal in all versions are checked once, and named as the old version did. */
const shared = Object.freeze({
  "spec.validation": "spec.versions[0].schema",
  "spec.subresources": "spec.versions[0].subresources",
  "spec.additionalPrinterColumns": "spec.versions[0].additionalPrinterColumns",
  "spec.selectableFields": "spec.versions[0].selectableFields",
});

function pathInFirstVersion(path: string): string {
  for (const [old, name] of Object.entries(shared)) if (path.startsWith(old)) return name + path.slice(old.length);
  return path;
}

function rejections({ endpoint: endpointOf, names, gates }: Catalog, requestVersion: GroupVersion, tree: Tree): readonly Rejection[] {
  const { group, version } = splitGroupVersion(requestVersion), endpoint = endpointOf(group, version, resource);
  if (endpoint === undefined) return [];
  const context = {
    names,
    gates: gates.isOn,
    now: timeText(Date.now()),
    subresource: "",
    requestVersion,
    minCompatibility: serverReleases.minCompatibility,
    caller: { name: "", groups: [] },
    metric: () => {
      throw new Error("definitions have no metrics of their own");
    },
  };
  try {
    const sent = endpoint.stored.applyDefaults(
      endpoint.toStored(endpoint.applyDefaults(endpoint.decode(tree, { reader: "yaml", findings: [] }))),
    );
    const object = endpoint.resource.prepare?.(sent, undefined, context) ?? sent;
    return (endpoint.resource.create?.(object, context) ?? []).filter(({ path }) => path.startsWith("spec")).map((error) => ({
      path: pathInFirstVersion(error.path),
      text: fieldErrorText(error).slice(`${error.path}: `.length),
    }));
  } catch (error) {
    // A value of a wrong type.
    if (error instanceof DecodeError) return [{ path: "spec", text: error.message }];
    throw error;
  }
}
