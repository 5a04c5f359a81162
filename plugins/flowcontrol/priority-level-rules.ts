/** The rules of priority levels, with upstream's texts and order. */
import { type FieldError, forbidden, type HookContext, invalid, notSupported, required } from "../../plugin.ts";
import { append, coveredByRule, sameValue, spell } from "../../toolbox.ts";
import { exemptName, wantedLevels } from "./bootstrap-objects.ts";
import { validateConditions } from "./flow-schema-rules.ts";
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from "./priority-level-schema.ts";

const limitedPath = "spec.limited", queuingPath = "spec.limited.limitResponse.queuing";
/** The highest number of queues that a level may ask for. */
const queuesMax = 10_000_000;
/** Bits of the hash of a flow that a hand of queues may use. */
const handBitsMax = 60;

export function validateLevel(level: PriorityLevelConfiguration, { names }: HookContext): readonly FieldError[] {
  const { metadata: { name = "", annotations = {} }, spec, status } = level;
  // v1beta3 needed the annotation to tell an explicit 0 from an absent value.
  const preserving = spell(names, "flowcontrol.{domain}/v1beta3-preserve-zero-concurrency-shares");
  return [
    ...(Object.hasOwn(annotations, preserving) ? [forbidden("metadata.annotations", `annotation '${preserving}' is forbidden`)] : []),
    ...validateSpec(name, spec),
    ...validateFixed(name, spec),
    ...validateConditions(status.conditions),
  ];
}

/** The mandatory levels keep their spec, except that operators may give seats to the exempt one. */
function validateFixed(name: string, spec: PriorityLevelConfigurationSpec): readonly FieldError[] {
  const wanted = wantedLevels.find((each) => each.isMandatory && each.name === name)?.spec;
  if (wanted === undefined) return [];
  if (name !== exemptName) {
    return sameValue(spec, wanted) ? [] : [invalid("spec", spec, `spec of '${name}' must equal the fixed value`)];
  }
  return sameValue({ ...spec, exempt: wanted.exempt }, wanted)
    ? []
    : [invalid("spec", spec, `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`)];
}

function validateSpec(name: string, { type, limited, exempt }: PriorityLevelConfigurationSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  if ((name === exemptName) !== (type === "Exempt")) {
    errors.push(invalid("spec.type", type, `must be 'Exempt' if and only if \`name\` is '${exemptName}'`));
  }
  if (type === "Exempt") {
    if (limited !== undefined) errors.push(coveredByRule(forbidden(limitedPath, "must be nil if the type is not Limited")));
    if (exempt !== undefined) {
      append(errors, validateShares(exempt.nominalConcurrencyShares, "spec.exempt"));
      append(errors, validateLendable(exempt.lendablePercent, "spec.exempt"));
    }
  } else if (type === "Limited") {
    if (exempt !== undefined) errors.push(coveredByRule(forbidden("spec.exempt", "must be nil if the type is Limited")));
    if (limited === undefined) errors.push(coveredByRule(required(limitedPath, "must not be empty when type is Limited")));
    else append(errors, validateLimited(limited));
  } else errors.push(notSupported("spec.type", type, ["Exempt", "Limited"]));
  return errors;
}

function validateShares(shares: number | undefined, path: string): readonly FieldError[] {
  return shares === undefined || shares >= 0 ? [] : [invalid(`${path}.nominalConcurrencyShares`, shares, "must be a non-negative integer")];
}
function validateLendable(percent: number | undefined, path: string): readonly FieldError[] {
  const isValid = percent === undefined || (percent >= 0 && percent <= 100);
  return isValid ? [] : [invalid(`${path}.lendablePercent`, percent, "must be between 0 and 100, inclusive")];
}

function validateLimited(limited: LimitedPriorityLevelConfiguration): readonly FieldError[] {
  const { nominalConcurrencyShares, limitResponse, lendablePercent, borrowingLimitPercent } = limited;
  return [
    ...validateShares(nominalConcurrencyShares, limitedPath),
    ...validateResponse(limitResponse),
    ...validateLendable(lendablePercent, limitedPath),
    ...(borrowingLimitPercent === undefined || borrowingLimitPercent >= 0
      ? []
      : [invalid(`${limitedPath}.borrowingLimitPercent`, borrowingLimitPercent, "if specified, must be a non-negative integer")]),
  ];
}

function validateResponse({ type, queuing }: LimitResponse): readonly FieldError[] {
  if (type === "Reject") {
    return queuing === undefined ? [] : [coveredByRule(forbidden(queuingPath, "must be nil if limited.limitResponse.type is not Limited"))];
  }
  if (type !== "Queue") return [notSupported("spec.limited.limitResponse.type", type, ["Queue", "Reject"])];
  if (queuing !== undefined) return validateQueuing(queuing);
  return [coveredByRule(required(queuingPath, "must not be empty if limited.limitResponse.type is Limited"))];
}

function validateQueuing({ queues, handSize, queueLengthLimit }: QueuingConfiguration): readonly FieldError[] {
  const errors: FieldError[] = [], wrongHand = (detail: string) => void errors.push(invalid(`${queuingPath}.handSize`, handSize, detail));
  if (queueLengthLimit <= 0) errors.push(invalid(`${queuingPath}.queueLengthLimit`, queueLengthLimit, "must be positive"));
  if (queues <= 0) errors.push(invalid(`${queuingPath}.queues`, queues, "must be positive"));
  else if (queues > queuesMax) errors.push(invalid(`${queuingPath}.queues`, queues, `must not be greater than ${queuesMax}`));
  if (handSize <= 0) wrongHand("must be positive");
  else if (handSize > queues) wrongHand(`should not be greater than queues (${queues})`);
  else if (handBits(queues, handSize) > handBitsMax) {
    wrongHand(`required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${handBitsMax}`);
  }
  return errors;
}

/** Bits of a hash that choose a hand of queues. */
function handBits(queues: number, handSize: number): number {
  return Math.ceil(Math.log2(queues) * handSize);
}
