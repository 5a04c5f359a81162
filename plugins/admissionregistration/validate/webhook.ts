/** Validates configurations of webhooks. */
import { duplicate, type FieldError, type HookContext, invalid, notSupported, required } from "../../../plugin.ts";
import {
  append,
  dns1035Label,
  dns1123Subdomain,
  hasInvalidLabelValue,
  type Release,
  sameValue,
  validateLabelSelector,
} from "../../../toolbox.ts";
import { matchPolicies } from "../../../core/admission/match-schema.ts";
import { validateService, validateWebhookUrl } from "../../shared/webhook-client-config.ts";
import { failurePolicies, harmlessSideEffects, type MutatingWebhook, reinvocationPolicies, type ValidatingWebhook } from "../schema.ts";
import { nothingStored, type StoredExpressions, validateMatchConditions } from "./expressions.ts";
import { validateChoice, validateRule } from "../../../core/admission/validate-match.ts";

export type Webhook = ValidatingWebhook & Pick<MutatingWebhook, "reinvocationPolicy">;

/** Supported versions of AdmissionReview. */
export const reviewVersions: readonly string[] = Object.freeze(["v1", "v1beta1"]);

/** Rules that an update does not check, because the stored webhooks already violate them. */
interface Excuses {
  readonly conditions: boolean;
  readonly sideEffects: boolean;
  readonly reviewVersions: boolean;
  readonly equalNames: boolean;
  readonly labelValues: boolean;
  readonly stored: StoredExpressions;
}
const noExcuses: Excuses = {
  conditions: false,
  sideEffects: false,
  reviewVersions: false,
  equalNames: false,
  labelValues: false,
  stored: nothingStored,
};

const isKnownVersion = (version: string): boolean => reviewVersions.includes(version);
const isHarmless = (sideEffects: string | null | undefined): boolean => (harmlessSideEffects as readonly unknown[]).includes(sideEffects);

function excusesOf(next: readonly Webhook[], prior: readonly Webhook[]): Excuses {
  const conditionsOf = (webhooks: readonly Webhook[]) => webhooks.map(({ matchConditions = [] }) => matchConditions);
  return {
    conditions: sameValue(conditionsOf(next), conditionsOf(prior)),
    sideEffects: prior.some(({ sideEffects }) => !isHarmless(sideEffects)),
    reviewVersions: prior.some(({ admissionReviewVersions: versions }) => versions.length > 0 && !versions.some(isKnownVersion)),
    equalNames: new Set(prior.map(({ name }) => name)).size < prior.length,
    labelValues: prior.some(({ namespaceSelector, objectSelector }) =>
      [namespaceSelector, objectSelector].some((selector) => hasInvalidLabelValue(selector))
    ),
    stored: {
      ...nothingStored,
      conditions: new Set(prior.flatMap(({ matchConditions = [] }) => matchConditions.map(({ expression }) => expression))),
    },
  };
}

/** Returns the errors of the webhooks of a configuration. `prior` are the stored webhooks, if this is an update. */
export function validateWebhooks(
  webhooks: readonly Webhook[] | undefined,
  prior: readonly Webhook[] | undefined,
  { minCompatibility }: Pick<HookContext, "minCompatibility">,
): readonly FieldError[] {
  const excuses = prior === undefined ? noExcuses : excusesOf(webhooks ?? [], prior);
  const errors: FieldError[] = [], names = new Set<string>();
  for (const [i, webhook] of (webhooks ?? []).entries()) {
    const { name, admissionReviewVersions } = webhook, path = `webhooks[${i}]`;
    append(errors, validateWebhook(webhook, excuses, minCompatibility, path));
    append(errors, validateVersions(admissionReviewVersions, excuses, `${path}.admissionReviewVersions`));
    if (!excuses.equalNames && name !== "" && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  return errors;
}

function validateWebhook(webhook: Webhook, excuses: Excuses, minCompatibility: Release, path: string): readonly FieldError[] {
  const { name, rules = [], failurePolicy, matchPolicy, sideEffects, timeoutSeconds, namespaceSelector, objectSelector } = webhook;
  const errors = [...validateName(name, `${path}.name`)];
  for (const [i, rule] of rules.entries()) append(errors, validateRule(rule, `${path}.rules[${i}]`));
  append(errors, validateChoice(failurePolicy, failurePolicies, `${path}.failurePolicy`));
  append(errors, validateChoice(matchPolicy, matchPolicies, `${path}.matchPolicy`));
  append(errors, validateSideEffects(sideEffects, excuses, `${path}.sideEffects`));
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    errors.push(invalid(`${path}.timeoutSeconds`, timeoutSeconds, "the timeout value must be between 1 and 30 seconds"));
  }
  const storedValues = excuses.labelValues;
  append(errors, validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`, { storedValues }));
  append(errors, validateLabelSelector(objectSelector, `${path}.objectSelector`, { storedValues }));
  append(errors, validateChoice(webhook.reinvocationPolicy, reinvocationPolicies, `${path}.reinvocationPolicy`));
  append(errors, validateClient(webhook, `${path}.clientConfig`));
  if (!excuses.conditions) {
    const conditions = { hasParams: false, stored: excuses.stored, minCompatibility, path: `${path}.matchConditions` };
    append(errors, validateMatchConditions(webhook.matchConditions, conditions));
  }
  return errors;
}

/** Checks that a name is a domain name with at least three segments. */
function validateName(name: string, path: string): readonly FieldError[] {
  if (name === "") return [required(path, "")];
  const wrong = dns1123Subdomain(name);
  if (wrong.length > 0) return [invalid(path, name, wrong.join(","))];
  return name.split(".").length < 3 ? [invalid(path, name, "should be a domain with at least three segments separated by dots")] : [];
}

const allSideEffects: readonly string[] = ["None", "NoneOnDryRun", "Some", "Unknown"];

function validateSideEffects(sideEffects: string | null | undefined, excuses: Excuses, path: string): readonly FieldError[] {
  const allowed: readonly string[] = excuses.sideEffects ? allSideEffects : harmlessSideEffects;
  if (sideEffects === undefined || sideEffects === null) return [required(path, `must specify one of ${allowed.join(", ")}`)];
  return allowed.includes(sideEffects) ? [] : [notSupported(path, sideEffects, allowed)];
}

function validateClient({ clientConfig: { url, service } }: Webhook, path: string): readonly FieldError[] {
  if ((url === undefined) === (service === undefined)) return [required(path, "exactly one of url or service is required")];
  if (url !== undefined) return validateWebhookUrl(url, `${path}.url`);
  return service === undefined ? [] : validateService(service, `${path}.service`);
}

function validateVersions(versions: readonly string[], excuses: Excuses, path: string): readonly FieldError[] {
  if (versions.length === 0) return [required(path, `must specify one of ${reviewVersions.join(", ")}`)];
  const errors: FieldError[] = [], seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) errors.push(invalid(`${path}[${i}]`, version, "duplicate version"));
    else for (const wrong of dns1035Label(version)) errors.push(invalid(`${path}[${i}]`, version, wrong));
    seen.add(version);
  }
  if (!excuses.reviewVersions && !versions.some(isKnownVersion)) {
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`));
  }
  return errors;
}
