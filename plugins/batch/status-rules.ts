/**
 * Rules of the status of a job, with upstream's order and texts. Most apply only if what they are about has changed, so that a status
 * which is wrong already can be written for other reasons.
 */
import { omittedValue } from "../../core/field-error.ts";
import { duplicate, type FieldError, invalid, required } from "../../plugin.ts";
import { type Gates, sameValue } from "../../toolbox.ts";
import { notNegative } from "../shared/pod/rules.ts";
import { isFalse, isFinished, isTrue } from "./conditions.ts";
import { gates as gateNames } from "./gates.ts";
import { countIndexes, sharedIndex } from "./indexes.ts";
import type { Job, JobStatus } from "./job-schema.ts";

const conditionsPath = "status.conditions";
const wrongConditions = (text: string) => invalid(conditionsPath, omittedValue, text);

/** A rule: whether it applies, whether the status breaks it, and the error. */
type Rule = readonly [applies: boolean, isBroken: boolean, error: () => FieldError];
function errorsOf(rules: readonly Rule[]): readonly FieldError[] {
  return rules.filter(([applies, isBroken]) => applies && isBroken).map(([, , error]) => error());
}

/** Checks a status, and what has changed in it. */
export function validateJobStatus(next: Job, prior: Job, gates: Gates): readonly FieldError[] {
  const changes = changesOf(next, prior, gates(gateNames.managedBy));
  // Without these gates only jobs with a success policy have the condition.
  const isExtended = gates(gateNames.managedBy) || gates(gateNames.replacementPolicy) || isTrue(prior.status, "SuccessCriteriaMet");
  return [
    ...validateCounts(next.status),
    ...validateUncounted(next.status),
    ...errorsOf(rulesOfConditions(next, changes)),
    ...errorsOf(rulesOfFinished(next, changes)),
    ...errorsOf(rulesOfIndexes(next, changes)),
    ...errorsOf(rulesOfPods(next, changes)),
    ...errorsOf(rulesOfSuccess(next, isExtended)),
    ...errorsOf(rulesOfChanges(next, prior, changes)),
  ];
}

type Changes = ReturnType<typeof changesOf>;
/** What has changed. Without the gate nothing counts as changed, and no rule about a change applies. */
function changesOf({ spec, status: next }: Job, { status: prior }: Job, isOn: boolean) {
  const has = (type: string) => isOn && isTrue(next, type) !== isTrue(prior, type);
  const differs = (key: keyof JobStatus) => isOn && !sameValue(next[key] ?? zeros[key], prior[key] ?? zeros[key]);
  return {
    isOn,
    finished: isOn && isFinished(next) !== isFinished(prior),
    complete: has("Complete"),
    failed: has("Failed"),
    failureTarget: has("FailureTarget"),
    criteriaMet: has("SuccessCriteriaMet"),
    completedIndexes: differs("completedIndexes"),
    failedIndexes: differs("failedIndexes"),
    active: differs("active"),
    startTime: differs("startTime"),
    completionTime: differs("completionTime"),
    uncounted: differs("uncountedTerminatedPods"),
    ready: differs("ready"),
    terminating: differs("terminating"),
    isEmptyAndSuspended: spec.suspend === true && spec.completions === 0,
    resumes: isTrue(prior, "Suspended") && isFalse(next, "Suspended"),
  };
}
/** What stands for absence in fields that are no pointers. */
const zeros: { readonly [K in keyof JobStatus]?: unknown } = { completedIndexes: "", active: 0 };

function validateCounts(status: JobStatus): readonly FieldError[] {
  return (["active", "succeeded", "failed", "ready", "terminating"] as const).flatMap((key) => notNegative(status[key], `status.${key}`));
}

function validateUncounted({ uncountedTerminatedPods }: JobStatus): readonly FieldError[] {
  const seen = new Set<unknown>();
  return (["succeeded", "failed"] as const).flatMap((key) =>
    (uncountedTerminatedPods?.[key] ?? []).flatMap((uid, i) => {
      const path = `status.uncountedTerminatedPods.${key}[${i}]`;
      if (uid === "") return [invalid(path, uid, "must not be empty")];
      if (seen.has(uid)) return [duplicate(path, uid)];
      seen.add(uid);
      return [];
    })
  );
}

function rulesOfConditions({ status }: Job, changes: Changes): readonly Rule[] {
  const isComplete = isTrue(status, "Complete"), isFailed = isTrue(status, "Failed"), isTarget = isTrue(status, "FailureTarget");
  const { startTime, completionTime } = status, path = "status.completionTime";
  const ofTime = changes.complete || changes.completionTime;
  const isBefore = startTime != null && completionTime != null && Date.parse(completionTime) < Date.parse(startTime);
  return [
    [
      changes.complete || changes.failed,
      isComplete && isFailed,
      () => wrongConditions("cannot set Complete=True and Failed=true conditions"),
    ],
    [
      changes.complete || changes.failureTarget,
      isComplete && isTarget,
      () => wrongConditions("cannot set Complete=True and FailureTarget=true conditions"),
    ],
    [
      ofTime,
      completionTime !== undefined && !isComplete,
      () => invalid(path, completionTime, "cannot set completionTime when there is no Complete=True condition"),
    ],
    [ofTime, completionTime === undefined && isComplete, () => required(path, "completionTime is required for Complete jobs")],
    [
      changes.startTime || changes.completionTime,
      isBefore,
      () => invalid(path, completionTime, "must be equal to or after `startTime`"),
    ],
    [
      changes.failed || changes.failedIndexes,
      isFailed && !isTarget,
      () => wrongConditions("cannot set Failed=True condition without the FailureTarget=true condition"),
    ],
    [
      changes.complete || changes.criteriaMet,
      isComplete && !isTrue(status, "SuccessCriteriaMet"),
      () => wrongConditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"),
    ],
  ];
}

function rulesOfFinished({ status }: Job, changes: Changes): readonly Rule[] {
  const isOver = isFinished(status), { active = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  const left = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length;
  return [
    [
      changes.finished || changes.active,
      isOver && active > 0,
      () => invalid("status.active", active, "active>0 is invalid for finished job"),
    ],
    [
      (changes.finished || changes.startTime) && !changes.isEmptyAndSuspended,
      isOver && startTime === undefined,
      () => required("status.startTime", "startTime is required for finished job"),
    ],
    [
      changes.finished || changes.uncounted,
      isOver && left > 0,
      () => invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job"),
    ],
  ];
}

function rulesOfIndexes({ spec, status }: Job, changes: Changes): readonly Rule[] {
  const { completions, backoffLimitPerIndex } = spec, { completedIndexes = "", failedIndexes } = status;
  const errorOf = (text: string) => {
    const counted = countIndexes(text, completions ?? 0);
    return "error" in counted ? counted.error : undefined;
  };
  const ofCompleted = changes.completedIndexes && completions !== undefined ? errorOf(completedIndexes) : undefined;
  const hasFailed = completions !== undefined && failedIndexes !== undefined;
  const ofFailed = changes.failedIndexes && hasFailed && backoffLimitPerIndex !== undefined ? errorOf(failedIndexes) : undefined;
  const isCompared = (changes.failedIndexes || changes.completedIndexes) && hasFailed;
  const shared = isCompared ? sharedIndex(completedIndexes, failedIndexes, completions) : undefined;
  const wrong = (path: string, value: unknown, text: string) => () => invalid(`status.${path}`, value, text);
  return [
    [true, ofCompleted !== undefined, wrong("completedIndexes", completedIndexes, `error parsing completedIndexes: ${ofCompleted}`)],
    [true, ofFailed !== undefined, wrong("failedIndexes", failedIndexes, `error parsing failedIndexes: ${ofFailed}`)],
    [
      changes.completedIndexes,
      completedIndexes !== "" && spec.completionMode !== "Indexed",
      wrong("completedIndexes", completedIndexes, "cannot set non-empty completedIndexes when non-indexed completion mode"),
    ],
    [
      changes.failedIndexes,
      failedIndexes !== undefined && backoffLimitPerIndex === undefined,
      wrong("failedIndexes", failedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null"),
    ],
    [
      true,
      shared !== undefined,
      wrong("failedIndexes", failedIndexes, `failedIndexes and completedIndexes overlap at index: ${shared}`),
    ],
  ];
}

function rulesOfPods({ status }: Job, changes: Changes): readonly Rule[] {
  const { active = 0, terminating = 0, ready } = status;
  return [
    [
      changes.finished || changes.terminating,
      isFinished(status) && terminating > 0,
      () => invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"),
    ],
    [
      changes.ready || changes.active,
      ready !== undefined && ready > active,
      () => invalid("status.ready", ready, "cannot set more ready pods than active"),
    ],
  ];
}

/** Rules of the condition that the job has succeeded. `isExtended`: jobs without a success policy may have it, too. */
function rulesOfSuccess({ spec, status }: Job, isExtended: boolean): readonly Rule[] {
  const isMet = isTrue(status, "SuccessCriteriaMet"), hasPolicy = spec.successPolicy !== undefined;
  const wrong = (text: string) => () => wrongConditions(text);
  return [
    [!isExtended, isMet && spec.completionMode !== "Indexed", wrong("cannot set SuccessCriteriaMet to NonIndexed Job")],
    [isMet, isTrue(status, "Failed"), wrong("cannot set SuccessCriteriaMet=True and Failed=true conditions")],
    [isMet, isTrue(status, "FailureTarget"), wrong("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")],
    [!isExtended, isMet && !hasPolicy, wrong("cannot set SuccessCriteriaMet=True for Job without SuccessPolicy")],
    [
      hasPolicy,
      !isMet && isTrue(status, "Complete"),
      wrong("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"),
    ],
  ];
}

function rulesOfChanges({ spec, status: next }: Job, { status: prior }: Job, changes: Changes): readonly Rule[] {
  const { isOn } = changes, lost = (type: string) => isTrue(prior, type) && !isTrue(next, type);
  // The successes of an indexed job that is scaled down become fewer.
  const mayShrink = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  const { failed = 0, succeeded = 0, completionTime, startTime } = next;
  return [
    ...["Failed", "Complete", "FailureTarget"].map((
      type,
    ): Rule => [isOn, lost(type), () => wrongConditions(`cannot disable the terminal ${type}=True condition`)]),
    [isOn, failed < (prior.failed ?? 0), () => invalid("status.failed", failed, "cannot decrease the failed counter")],
    [
      isOn && !mayShrink,
      succeeded < (prior.succeeded ?? 0),
      () => invalid("status.succeeded", succeeded, "cannot decrease the succeeded counter"),
    ],
    [
      isOn,
      completionTime !== undefined && prior.completionTime !== undefined && completionTime !== prior.completionTime,
      () => invalid("status.completionTime", completionTime, "field is immutable"),
    ],
    [
      changes.startTime && !changes.resumes,
      prior.startTime !== undefined && spec.suspend !== true,
      () => invalid("status.startTime", startTime, "field is immutable for unsuspended job once set"),
    ],
    [true, lost("SuccessCriteriaMet"), () => wrongConditions("cannot disable the SuccessCriteriaMet=True condition")],
    [
      isTrue(prior, "Complete") && !isTrue(prior, "SuccessCriteriaMet"),
      isTrue(next, "SuccessCriteriaMet"),
      () => wrongConditions("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"),
    ],
  ];
}
