/** Finds the admission steps that run for a request. The configuration may narrow each step by match rules. */
import { attributesOf, type Subject } from "../../../core/admission/attributes.ts";
import { coveredForm } from "../../../core/admission/matching.ts";
import type { Admission } from "../../../core/plugin.ts";
import type { RequestContext } from "../../request-context.ts";
import type { DeleteRequest } from "../delete-options.ts";
import { requestHookContext } from "../request-hook-context.ts";

/** Names of functions that a step may have. Callers pass a constant list: the steps for a list are kept by the identity of the list. */
export type Phases = readonly (keyof Admission)[];

/** The steps that have one of the functions, by the list of all steps of a resource. */
const kept = new WeakMap<readonly Admission[], Map<Phases, readonly Admission[]>>();

function stepsWith(all: readonly Admission[], phases: Phases): readonly Admission[] {
  let known = kept.get(all);
  if (known === undefined) kept.set(all, known = new Map());
  let steps = known.get(phases);
  if (steps === undefined) known.set(phases, steps = all.filter((step) => phases.some((phase) => step[phase] !== undefined)));
  return steps;
}

/**
 * The steps of the resource that have one of these functions and run for this request, in order. The result is a Promise only if one of the
 * steps is narrowed. Rejects with 404 if a rule selects namespaces and the namespace of the request does not exist.
 */
export function stepsFor(
  call: RequestContext,
  phases: Phases,
  subject: Subject,
  deletion?: DeleteRequest,
): readonly Admission[] | Promise<readonly Admission[]> {
  const { catalog: { matchConstraints, admission }, endpoint: { resource } } = call;
  const steps = stepsWith(admission(resource), phases);
  if (matchConstraints.size === 0 || !steps.some(({ name }) => matchConstraints.has(name))) return steps;
  return findCovering(call, steps, subject, deletion);
}

async function findCovering(
  call: RequestContext,
  steps: readonly Admission[],
  subject: Subject,
  deletion: DeleteRequest | undefined,
): Promise<readonly Admission[]> {
  const attributes = attributesOf(subject, requestHookContext(call, deletion)), found: Admission[] = [];
  for (const step of steps) {
    const match = call.catalog.matchConstraints.get(step.name);
    if (match === undefined || await coveredForm(match, attributes) !== undefined) found.push(step);
  }
  return found;
}
