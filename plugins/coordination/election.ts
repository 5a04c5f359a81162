/** The rules of coordinated leader election (KEP-4355): what comes next for one lease, from its candidates, its state and the time. */
import { Unreadable } from "../../toolbox.ts";
import { compareSemver, parseTolerant } from "../../cel/functions/semver/parse.ts";
import type { LeaseCandidate } from "./lease-candidate.ts";
import type { Lease } from "./lease.ts";
import { oldestVersion } from "./strategy.ts";

/** How long a candidate has to answer, and how long its answer counts, in milliseconds. */
const answerMs = 5000;
/** How long a candidate stands that is not renewed, in milliseconds. After half of it an election asks it again. */
const candidateMs = 30 * 60_000;
/** The duration of an elected lease, which its holder renews. */
const leaseDurationSeconds = 5;

/**
 * none: nothing until an object changes. wait: look again after a while. ask: set pingTime of these candidates, then wait. elect: write the
 * lease. A strategy that this server does not know has no holder; another controller sets it.
 */
export type Step =
  | { readonly tag: "none" | "wait" }
  | { readonly tag: "ask"; readonly candidates: readonly LeaseCandidate[] }
  | { readonly tag: "elect"; readonly strategy: string; readonly holder: string | undefined };

type LeaseSpec = Lease["spec"];

const timeOf = (text: string | null | undefined): number | undefined => (text ?? "") === "" ? undefined : Date.parse(text!); // not empty
const asked = ({ spec }: LeaseCandidate) => timeOf(spec.pingTime);
const renewed = ({ spec }: LeaseCandidate) => timeOf(spec.renewTime) ?? 0;

/** Whether the candidate was asked and has not answered. */
export const isAsked = (candidate: LeaseCandidate): boolean => {
  const at = asked(candidate);
  return at !== undefined && timeOf(candidate.spec.renewTime) !== undefined && renewed(candidate) < at;
};
/** Whether the candidate was not renewed for so long that it stands no more. */
export const isExpired = (candidate: LeaseCandidate, now: number): boolean => renewed(candidate) + candidateMs < now;

function isFree({ holderIdentity, renewTime, leaseDurationSeconds: seconds }: LeaseSpec, now: number): boolean {
  const since = timeOf(renewTime);
  return since === undefined || seconds === undefined || since + seconds * 1000 < now || (holderIdentity ?? "") === "";
}

/** Compares two versions. One that cannot be parsed is 0.0.0. */
function compareVersions(a: string, b: string): number {
  const parse = (text: string) => {
    const version = parseTolerant(text);
    return version instanceof Unreadable ? parseTolerant("0.0.0") : version;
  };
  const [left, right] = [parse(a), parse(b)];
  return left instanceof Unreadable || right instanceof Unreadable ? 0 : compareSemver(left, right);
}

/** The strategy of the candidates with the highest binary version; undefined if these differ. */
function strategyOf(candidates: readonly LeaseCandidate[]): string | undefined {
  const highest = candidates.reduce((best, each) => compareVersions(each.spec.binaryVersion, best.spec.binaryVersion) > 0 ? each : best);
  const equal = candidates.filter(({ spec }) => compareVersions(spec.binaryVersion, highest.spec.binaryVersion) === 0);
  return equal.every(({ spec }) => spec.strategy === highest.spec.strategy) ? highest.spec.strategy ?? "" : undefined;
}

/** The candidate with the oldest emulated version, then the oldest binary, then the oldest object. */
function oldest(candidates: readonly LeaseCandidate[]): LeaseCandidate | undefined {
  const isVersion = (text: string) => !(parseTolerant(text) instanceof Unreadable);
  return candidates.filter(({ spec }) => isVersion(spec.emulationVersion ?? "") && isVersion(spec.binaryVersion)).toSorted((a, b) =>
    compareVersions(a.spec.emulationVersion ?? "", b.spec.emulationVersion ?? "") ||
    compareVersions(a.spec.binaryVersion, b.spec.binaryVersion) ||
    (timeOf(a.metadata.creationTimestamp) ?? 0) - (timeOf(b.metadata.creationTimestamp) ?? 0)
  )[0];
}

function isElectionNeeded(candidates: readonly LeaseCandidate[], lease: Lease | undefined, now: number): boolean {
  if (lease === undefined || isFree(lease.spec, now)) return true;
  if (candidates.some((each) => renewed(each) + candidateMs / 2 < now)) return true;
  if (strategyOf(candidates) !== oldestVersion) return false;
  const best = oldest(candidates);
  return best !== undefined && best.metadata.name !== lease.spec.holderIdentity;
}

/** Returns the next step for a lease. `all` are its candidates, `now` is in milliseconds since 1970. */
export function electionStep(all: readonly LeaseCandidate[], lease: Lease | undefined, now: number): Step {
  const candidates = all.filter((each) => !isExpired(each, now));
  if (candidates.length === 0) return { tag: "none" };
  if (!isElectionNeeded(candidates, lease, now)) return { tag: "wait" };
  const hasAnswered = (each: LeaseCandidate) => renewed(each) + answerMs > now;
  const isWaiting = (each: LeaseCandidate) => isAsked(each) && asked(each)! + answerMs > now; // asked, as isAsked says
  const toAsk = candidates.filter((each) => {
    const at = asked(each);
    return !hasAnswered(each) && (at === undefined || (at + answerMs < now && !isAsked(each)));
  });
  if (toAsk.length > 0) return { tag: "ask", candidates: toAsk };
  const answered = candidates.filter(hasAnswered);
  if (answered.length === 0 || candidates.some(isWaiting)) return { tag: "wait" };
  const strategy = strategyOf(answered);
  if (strategy === undefined) return { tag: "none" };
  return { tag: "elect", strategy, holder: strategy === oldestVersion ? oldest(answered)?.metadata.name : undefined };
}

/** The spec of the lease after an election. Undefined if it stays as it is. `now` is a MicroTime. */
export function electedSpec(
  before: LeaseSpec | undefined,
  { strategy, holder }: Extract<Step, { tag: "elect" }>,
  now: string,
): LeaseSpec | undefined {
  const won = { ...(holder === undefined ? {} : { holderIdentity: holder }), leaseDurationSeconds, renewTime: now };
  if (before === undefined) return { ...won, strategy };
  const isOther = holder !== undefined && before.holderIdentity !== holder;
  const { preferredHolder: _preferred, acquireTime: _acquired, ...rest } = before;
  if (isOther && isFree(before, Date.parse(now))) return { ...rest, ...won, strategy };
  const next = isOther ? { ...before, strategy, preferredHolder: holder } : { ...before, strategy };
  return before.strategy === strategy && before.preferredHolder === next.preferredHolder ? undefined : next;
}
