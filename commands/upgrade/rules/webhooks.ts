/** Webhook configurations to `admissionregistration.k8s.io/v1`. */
import type { Json } from "../../../core/json.ts";
import type { Rule } from "./rule.ts";
import { valueText } from "../../../core/value-text.ts";

/** Defaults that differ in `v1`: behaviour stays the same if they are written. */
const oldDefaults: Readonly<Record<string, Json>> = Object.freeze({
  failurePolicy: "Ignore",
  matchPolicy: "Exact",
  timeoutSeconds: 30,
  admissionReviewVersions: ["v1beta1"],
});

export const webhooks: Rule = (object, { from }) => {
  const names = new Set<string>();
  for (const webhook of object.items("webhooks")) {
    for (const [field, value] of Object.entries(oldDefaults)) {
      // An empty list was filled, too.
      if (webhook.has(field) && !(Array.isArray(value) && webhook.texts(field).length === 0)) continue;
      webhook.set(field, value);
      webhook.note(field, `${valueText(value)} written, the default of ${from}`);
    }
    const effects = webhook.text("sideEffects");
    if (effects !== "None" && effects !== "NoneOnDryRun") {
      webhook.choice(
        "sideEffects",
        `${
          effects === undefined ? "required" : `${effects} is not allowed`
        }: None if the webhook changes nothing else, NoneOnDryRun if it does so except for dry runs`,
      );
    }
    const name = webhook.text("name") ?? "";
    if (names.has(name)) webhook.choice("name", `${valueText(name)} is already the name of another webhook: give each its own`);
    names.add(name);
  }
};
