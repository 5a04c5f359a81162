/** Makes a resource of a plugin from a definition. */
import type { Spec } from "../../core/definition/definition.ts";
import { resourceOf } from "../../core/definition/resource.ts";
import type { Resource } from "../../core/plugin.ts";
import { rulesOfDefinition } from "./rules.ts";

/** A CustomResourceDefinition as `kubectl get crd NAME -o json` writes it; other members are ignored. */
export interface Definition {
  /** The `spec` of the CustomResourceDefinition. A `conversion` with the strategy `Webhook` is rejected. */
  readonly spec: Spec & { readonly conversion?: { readonly strategy: string } };
}

/**
 * Makes the resource of a plugin that serves the objects of a definition as the definition did: the same paths, schemas, defaults,
 * validation with rules, columns, selectable fields and subresources, and the same stored bytes. Add hooks and call those of the resource
 * in them:
 *
 *     const base = definedResource(definition);
 *     const things = defineResource({ ...base, create: (next, context) => [...base.create!(next, context), ...own(next)] });
 *
 * The definition must have been accepted by a server: its schemas are not checked again.
 *
 * @throws Error if it has a conversion webhook, or not exactly one version that is stored
 */
export function definedResource({ spec }: Definition): Resource {
  const { group, names, versions, conversion } = spec, name = `${names.plural}.${group}`;
  if (conversion?.strategy === "Webhook") {
    throw new Error(`${name} is converted by a webhook: a plugin converts with toStored and fromStored of its versions`);
  }
  if (versions.filter(({ storage }) => storage).length !== 1) throw new Error(`${name} must have exactly one version that is stored`);
  const own = { ...names, singular: names.singular ?? names.kind.toLowerCase(), listKind: names.listKind ?? `${names.kind}List` };
  return resourceOf({ name, spec, names: own, state: { terminating: false } }, versions, rulesOfDefinition);
}
