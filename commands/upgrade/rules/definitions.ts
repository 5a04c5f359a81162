/** CustomResourceDefinitions to `apiextensions.k8s.io/v1`. */
import type { Fields } from "../fields.ts";
import type { Rule } from "./rule.ts";
import { structuralSchema } from "./structural.ts";

/** Fields of `spec` that are those of each version, with their new names. */
const perVersion = Object.freeze({
  validation: "schema",
  subresources: "subresources",
  additionalPrinterColumns: "additionalPrinterColumns",
});

export const definition: Rule = (object, { from }) => {
  const spec = object.fields("spec");
  if (spec === undefined) return;
  if (!spec.has("scope")) {
    spec.set("scope", "Namespaced");
    spec.note("scope", `Namespaced written, the default of ${from}`);
  }
  const versions = versionsOf(spec);
  const preserve = spec.scalar("preserveUnknownFields");
  const keepsUnknown = preserve === undefined || preserve.type === "null" || preserve.value === true;
  if (keepsUnknown && versions.length > 0) {
    spec.note(
      "preserveUnknownFields",
      `true in ${from}: the schemas get x-kubernetes-preserve-unknown-fields; remove it where unknown fields need not be kept`,
    );
  }
  spec.remove("preserveUnknownFields");
  for (const [old, name] of Object.entries(perVersion)) {
    versions.forEach((version, index) => {
      // The last version gets the field itself, the others copies.
      const pair = index === versions.length - 1 ? spec.take(old) : spec.copyOf(old);
      if (!version.has(name)) version.put(pair, name);
    });
    spec.remove(old);
  }
  for (const version of versions) {
    for (const column of version.items("additionalPrinterColumns")) column.rename("JSONPath", "jsonPath");
    schemaOf(version, keepsUnknown);
  }
  convertConversion(spec, from);
  addApproval(object, spec);
};

/** Returns the versions; the only one is made from `version`. */
function versionsOf(spec: Fields): readonly Fields[] {
  const version = spec.text("version"), versions = spec.items("versions");
  if (versions.length > 0) {
    const first = versions[0]!.text("name");
    if (version !== undefined && version !== first) {
      spec.choice("version", `${version} is not the first of versions, ${first}: remove one of them`);
    }
    spec.remove("version");
    return versions;
  }
  if (version === undefined) {
    spec.choice("versions", "required");
    return [];
  }
  spec.set("versions", [{}], { before: "version" });
  const [only] = spec.items("versions");
  only!.put(spec.take("version"), "name");
  only!.set("served", true);
  only!.set("storage", true);
  return [only!];
}

function schemaOf(version: Fields, keepsUnknown: boolean): void {
  if (version.fields("schema")?.has("openAPIV3Schema") === true) {
    structuralSchema(version.fields("schema")!.fields("openAPIV3Schema")!, keepsUnknown);
  } else if (keepsUnknown) {
    version.set("schema", { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } });
    version.note("schema", "a schema written that accepts all fields, as before without one");
  } else version.choice("schema", "required: without a schema all fields would be removed");
}

function convertConversion(spec: Fields, from: string): void {
  const conversion = spec.fields("conversion");
  if (conversion === undefined) return;
  const client = conversion.take("webhookClientConfig"), reviews = conversion.take("conversionReviewVersions");
  if (conversion.text("strategy") !== "Webhook") return;
  const webhook = conversion.fieldsOrNew("webhook");
  webhook.put(client, "clientConfig");
  webhook.put(reviews, "conversionReviewVersions");
  if (!webhook.has("clientConfig")) webhook.choice("clientConfig", "required: the address of the webhook");
  if (webhook.has("conversionReviewVersions")) return;
  webhook.set("conversionReviewVersions", ["v1beta1"]);
  webhook.note("conversionReviewVersions", `["v1beta1"] written, the default of ${from}`);
}

const protectedGroup = /(?:^|\.)(?:k8s|kubernetes)\.io$/;
const approved = "api-approved.kubernetes.io";

/** Adds the annotation that `v1` requires of definitions in the groups of Kubernetes. */
function addApproval(object: Fields, spec: Fields): void {
  if (!protectedGroup.test(spec.text("group") ?? "")) return;
  const metadata = object.fields("metadata");
  if (metadata?.fields("annotations")?.has(approved) === true) return;
  (metadata ?? object).choice(
    metadata === undefined ? "metadata" : "annotations",
    `${approved} is required for this group: the URL of the approval, or "unapproved"`,
  );
}
