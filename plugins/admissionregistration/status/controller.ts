/**
 * Writes the status of validating policies (upstream: pkg/controller/validatingadmissionpolicystatus): the generation that was checked, and
 * warnings about expressions that do not fit the types of the kinds that the policy covers.
 *
 *     a policy is new or changed ──> its generation is above status.observedGeneration ──> check ──> apply the status
 *
 * As upstream, the change of a custom kind has no effect on a status that is written already.
 */
import { type Controller, type ControllerContext, runWorkQueue, StatusError } from "../../../plugin.ts";
import { groupVersion, type ValidatingAdmissionPolicy } from "../schema.ts";
import { expressionWarnings } from "./expression-warnings.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds of type checking in one turn of the event loop. A single expression is not divided. */
const policyCheckTurnMs = bound(4);

const resource = "validatingadmissionpolicies";

export const policyStatusController: Controller = Object.freeze<Controller>({
  name: "validatingadmissionpolicy-status",
  fieldManager: "validatingadmissionpolicy-status",
  serviceAccount: "validatingadmissionpolicy-status-controller",
  needs: [{ resource, groupVersions: [groupVersion] }],
  async run(context, signal) {
    /** Policies whose status is out of date, by name. */
    const known = new Map<string, ValidatingAdmissionPolicy>();
    const work = async (name: string) => {
      const policy = known.get(name);
      if (policy === undefined) return;
      await writeStatus(name, policy, context);
      if (known.get(name) === policy) known.delete(name);
    };
    await runWorkQueue({ context, signal, work }, async (queue, until) => {
      for await (const { type, object } of context.api.watch(groupVersion, resource, "", {}, until)) {
        const policy = object as ValidatingAdmissionPolicy, { name = "" } = policy.metadata; // the watch is of this resource
        if (type === "DELETED" || !isOutOfDate(policy)) known.delete(name);
        else {
          known.set(name, policy);
          queue.add(name);
        }
      }
    });
  },
});

function isOutOfDate({ metadata: { generation = 0 }, status }: ValidatingAdmissionPolicy): boolean {
  return Number(generation) > Number(status?.observedGeneration ?? 0);
}

async function writeStatus(name: string, policy: ValidatingAdmissionPolicy, { api, types }: ControllerContext): Promise<void> {
  const warnings = await expressionWarnings(policy, types, turns());
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
  const status = { observedGeneration: policy.metadata.generation, typeChecking };
  try {
    await api.apply(groupVersion, resource, "", name, { status }, { subresource: "status" });
  } catch (error) {
    // The policy was deleted meanwhile.
    if (!(error instanceof StatusError && error.reason === "NotFound")) throw error;
  }
}

/** Makes a function that lets other work run once this work has taken `policyCheckTurnMs`. */
function turns(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < policyCheckTurnMs) return undefined;
    return new Promise((resolve) =>
      setTimeout(() => {
        begun = performance.now();
        resolve();
      })
    );
  };
}
