/**
 * Decides which rules apply to a definition. In an update, a rule does not apply if the stored definition already violates it: a definition
 * that an older server has accepted can still be changed.
 */
import type { HookContext } from "../../../plugin.ts";
import { type Release, sameValue } from "../../../toolbox.ts";
import { isTrue } from "../condition.ts";
import type { CustomResourceDefinition, Spec } from "../schema.ts";
import type { SchemaProps } from "../schema-props.ts";
import { rootSchemas, specHas } from "../schema-walk.ts";
import { isRecognized } from "./conversion.ts";
import { Convertible } from "./convertible.ts";
import { hasUnprunedDefaults } from "./default-values.ts";
import { hasMergedItems, validateListKeys } from "./list-types.ts";
import { isKnownType, type OpenapiOptions } from "./openapi.ts";
import { Patterns } from "./patterns.ts";
import { validateStructural } from "./structural.ts";
import { schemaOf, splitVersions } from "./versions.ts";
import { selectableFieldsMax } from "./selectable-fields.ts";
import { validateCaBundle } from "../../shared/webhook-client-config.ts";

export interface ValidationOptions extends OpenapiOptions {
  readonly requireRecognizedReviewVersion: boolean;
  readonly requireImmutableNames: boolean;
  readonly requireSchemas: boolean;
  readonly requireStructural: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly allowInvalidCaBundle: boolean;
  /** Versions whose schemas have not changed. The bound of the cost of one expression does not apply to them. */
  readonly unchangedSchemas: ReadonlySet<string>;
  /** Versions that have too many selectable fields, which have not changed; "" stands for shared fields. */
  readonly tooManySelectableFields: ReadonlySet<string>;
  /** Expressions of the stored definition. They may use everything that any version of the server offers. */
  readonly storedRules: ReadonlySet<string>;
  readonly storedMessageExpressions: ReadonlySet<string>;
  /** The release whose servers must be able to compile all other expressions. */
  readonly minCompatibility: Release;
  /** The patterns of the stored and of the new definition. */
  readonly patterns: Patterns;
}

export interface RootOptions extends ValidationOptions {
  /** Whether the version has the subresource status. For a shared schema, whether any version has it. */
  readonly statusEnabled: boolean;
  /** The name of the version; "" for a shared schema without versions. */
  readonly version: string;
}

const none: ReadonlySet<string> = new Set();

const strict = Object.freeze({
  requireValidTypes: true,
  requireAtomicSets: true,
  requireMapListKeys: true,
  requireRecognizedReviewVersion: true,
  requireImmutableNames: false,
  requireSchemas: true,
  requireStructural: true,
  requirePrunedDefaults: true,
  allowInvalidCaBundle: true,
  unchangedSchemas: none,
  tooManySelectableFields: none,
  storedRules: none,
  storedMessageExpressions: none,
});

export function optionsOfCreate({ minCompatibility }: Pick<HookContext, "minCompatibility">): ValidationOptions {
  return { ...strict, minCompatibility, patterns: new Patterns() };
}

export function optionsOfUpdate(
  next: CustomResourceDefinition,
  prior: CustomResourceDefinition,
  { minCompatibility }: Pick<HookContext, "minCompatibility">,
): ValidationOptions {
  const { spec } = prior, established = isTrue(prior.status.conditions, "Established");
  const { conversion } = spec, { conversionReviewVersions = [], clientConfig } = conversion?.webhook ?? {};
  const caBundle = clientConfig?.caBundle ?? "", patterns = new Patterns();
  const structural = rootSchemas(spec).filter((root) => isStructural(root, patterns));
  return {
    requireValidTypes: !specHas(spec, ({ type = "" }) => type !== "" && !isKnownType(type)),
    requireAtomicSets: !specHas(spec, hasMergedItems),
    requireMapListKeys: !specHas(spec, (schema) => validateListKeys(schema, "").length > 0),
    requireRecognizedReviewVersion: conversion === undefined || isRecognized(conversionReviewVersions),
    requireImmutableNames: established,
    requireSchemas: spec.versions.every(({ schema }) => schema?.openAPIV3Schema !== undefined),
    requireStructural: structural.length === rootSchemas(spec).length,
    requirePrunedDefaults: !structural.some(hasUnprunedDefaults),
    allowInvalidCaBundle: !established || (caBundle !== "" && validateCaBundle(caBundle, "").length > 0),
    unchangedSchemas: unchangedSchemas(next.spec, spec),
    tooManySelectableFields: tooManySelectableFields(next.spec, spec),
    ...storedExpressions(spec),
    minCompatibility,
    patterns,
  };
}

function isStructural(root: SchemaProps, patterns: Patterns): boolean {
  return new Convertible().mistake(root) === undefined && validateStructural(root, "", patterns).length === 0;
}

function unchangedSchemas(next: Spec, prior: Spec): ReadonlySet<string> {
  const parts = splitVersions(next), before = splitVersions(prior);
  return new Set(next.versions.map(({ name }) => name).filter((name) => sameValue(schemaOf(parts, name), schemaOf(before, name))));
}

function tooManySelectableFields(next: Spec, prior: Spec): ReadonlySet<string> {
  const parts = splitVersions(next), before = splitVersions(prior);
  const found = new Set<string>();
  if (
    before.shared.selectableFields.length > selectableFieldsMax && sameValue(parts.shared.selectableFields, before.shared.selectableFields)
  ) {
    found.add("");
  }
  for (const { version, selectableFields } of parts.versions) {
    const own = before.versions.findLast((each) => each.version.name === version.name)?.selectableFields ?? [];
    if (own.length > selectableFieldsMax && sameValue(selectableFields, own)) found.add(version.name);
  }
  return found;
}

function storedExpressions(spec: Spec): Pick<ValidationOptions, "storedRules" | "storedMessageExpressions"> {
  const rules = new Set<string>(), messages = new Set<string>();
  specHas(spec, (schema) => {
    for (const { rule, messageExpression = "" } of schema["x-kubernetes-validations"] ?? []) {
      rules.add(rule);
      if (messageExpression !== "") messages.add(messageExpression);
    }
    return false;
  });
  return { storedRules: rules, storedMessageExpressions: messages };
}
