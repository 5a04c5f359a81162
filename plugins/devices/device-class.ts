import {
  ageColumn,
  type Column,
  defineResource,
  type FieldError,
  type HookContext,
  invalid,
  nameColumn,
  type Resource,
} from "../../plugin.ts";
import { metaRulesOf, type NameRule, sameValue, subdomainName, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { isExtendedResource } from "../shared/resource-names.ts";
import { configurationsMax } from "./bounds.ts";
import { type DeviceClass, deviceClassOf } from "./class-schema.ts";
import { gates } from "./gates.ts";
import { validateList } from "./lists.ts";
import { areLong, SelectorChecker, validateConfiguration } from "./selectors.ts";
import { versions } from "./versions.ts";

const columns: readonly Column<DeviceClass>[] = [nameColumn, ageColumn];

function validateSpec({ spec }: DeviceClass, prior: DeviceClass | undefined, context: HookContext): readonly FieldError[] {
  const { selectors = [], config = [], extendedResourceName } = spec;
  const isStored = (key: "selectors" | "config") => prior !== undefined && sameValue(spec[key] ?? [], prior.spec[key] ?? []);
  const hasStoredConfig = isStored("config");
  return [
    ...new SelectorChecker(context).check(selectors, "spec.selectors", isStored("selectors")),
    ...validateList(config, configurationsMax, (each, at) => validateConfiguration(each, at, hasStoredConfig), "spec.config"),
    ...(extendedResourceName === undefined || isExtendedResource(extendedResourceName, context.names)
      ? []
      : [invalid("spec.extendedResourceName", extendedResourceName, "must be a valid extended resource name")]),
  ];
}

/** As upstream, a prefix of names is not checked: the name made of it is. */
const nameRule: NameRule = (name, isPrefix) => isPrefix ? [] : subdomainName(name, false);

export const deviceClasses: Resource<DeviceClass> = defineResource({
  kind: "DeviceClass",
  scope: "Cluster",
  summary: "A class of devices that claims can request.",
  storedAs: "resource.{domain}/v1",
  storedUnder: "deviceclasses",
  served: versions("DeviceClass", (version) => ({ schema: deviceClassOf(version), columns })),
  strategy: {
    deleteAnswers: "object",
    generation: true,
    coreFinalizers: true,
    nameRule,
    isHeavy: ({ spec }) => areLong([spec?.selectors]),
  },
  prepare(next, prior, context) {
    const { extendedResourceName, ...rest } = next.spec;
    const isKept = context.gates(gates.extendedResource) || extendedResourceName === undefined ||
      prior?.spec.extendedResourceName !== undefined;
    return isKept ? next : { ...next, spec: rest };
  },
  create: (next, context) => validateSpec(next, undefined, context),
  update: (next, prior, context) => {
    const rules = metaRulesOf(deviceClasses, context.names);
    return [
      ...validateObjectMeta(next.metadata, rules),
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validateSpec(next, prior, context),
    ];
  },
});
