import {
  ageColumn,
  type Column,
  defineResource,
  field,
  type FieldError,
  forbidden,
  type Infer,
  int32,
  invalid,
  nameColumn,
  object,
  string,
  structsOf,
} from "../../plugin.ts";
import { append, microTime, named, validateObjectMetaUpdate } from "../../toolbox.ts";
import { electionGate, validateStrategy } from "./strategy.ts";

const home = "coordination/v1";
const struct = structsOf(home);

const LeaseSpec = struct("LeaseSpec", {
  holderIdentity: field(1, string, "The identity of the holder. Empty if the lease has no holder.", { pointer: true }),
  leaseDurationSeconds: field(2, int32, "Number of seconds after renewTime before another candidate may acquire the lease.", {
    pointer: true,
  }),
  acquireTime: field(3, microTime, "The time when the lease was acquired.", { pointer: true }),
  renewTime: field(4, microTime, "The time when the holder last renewed the lease.", { pointer: true }),
  leaseTransitions: field(5, int32, "The number of transitions between holders.", { pointer: true }),
  strategy: field(6, named("v1.CoordinatedLeaseStrategy", string), "The strategy for picking the leader in coordinated leader election.", {
    pointer: true,
    gate: electionGate,
  }),
  preferredHolder: field(7, string, "The preferred holder, in favor of which the holder should release the lease. Requires strategy.", {
    pointer: true,
    gate: electionGate,
  }),
}, { doc: "The specification of a lease." });

const Lease = object("Lease", {
  spec: field(2, LeaseSpec, "The holder of the lease and its duration.", { written: "always" }),
}, { package: home, doc: "A lock that one of several candidates holds and renews, such as leadership." });
export type Lease = Infer<typeof Lease>;

const columns: readonly Column<Lease>[] = [
  nameColumn,
  {
    name: "Holder",
    type: "string",
    description: "The candidate that holds the lease at present.",
    cell: ({ spec }) => spec.holderIdentity ?? "",
  },
  ageColumn,
];

function validateSpec({ spec }: Lease): readonly FieldError[] {
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = spec;
  const errors: FieldError[] = [];
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0"));
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    errors.push(invalid("spec.leaseTransitions", leaseTransitions, "must be greater than or equal to 0"));
  }
  if (strategy !== undefined) append(errors, validateStrategy(strategy));
  if ((preferredHolder ?? "") !== "" && (strategy ?? "") === "") {
    errors.push(forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  }
  return errors;
}

export const leases = defineResource<Lease>({
  kind: "Lease",
  scope: "Namespaced",
  summary: "A lock that one of several candidates holds and renews, such as leadership.",
  storedAs: "coordination.{domain}/v1",
  storedUnder: "leases",
  served: {
    "coordination.{domain}/v1": { schema: Lease, introduced: "1.14", columns },
    "coordination.{domain}/v1beta1": {
      schema: Lease,
      introduced: "1.12",
      deprecated: "1.19",
      removed: "1.22",
      replacement: { groupVersion: "coordination.{domain}/v1", kind: "Lease" },
      columns,
    },
  },
  strategy: { createOnUpdate: true, unconditionalUpdate: false },
  create: validateSpec,
  update: (next, prior) => [...validateObjectMetaUpdate(next.metadata, prior.metadata), ...validateSpec(next)],
});
