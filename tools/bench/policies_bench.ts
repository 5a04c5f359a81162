/**
 * The step ValidatingAdmissionPolicy for the create of a ConfigMap of 1 kB, without the rest of the write. Run:
 * `deno run -A --no-check tools/bench/policies_bench.ts`, or `node tools/bench/policies_bench.ts` with a Node that reads TypeScript. Microseconds of
 * one review, the median of rounds, by the policies in force.
 */
import { performance } from "node:perf_hooks";
import process from "node:process";
import { type Admission, type ApiObject, definePlugin, type RequestHookContext } from "../../plugin.ts";
import { validatingPolicies } from "../../plugins/admissionregistration/policies/validating-admission.ts";
import { openTestServer, type TestServer } from "../../testing.ts";
import { configMap } from "./objects.ts";
import { threeRules } from "./policies.ts";

const group = "admissionregistration.k8s.io/v1";
const rounds = 15, reviews = 4_000;

/** A step that keeps the arguments of the last create of a ConfigMap. */
let seen: { readonly object: ApiObject; readonly context: RequestHookContext } | undefined;
const witness: Admission = {
  name: "Witness",
  resources: "all",
  refuse(object, _prior, context) {
    if (context.resource.plural === "configmaps") seen = { object, context };
    return undefined;
  },
};

const inForce: Readonly<Record<string, (server: TestServer) => Promise<void>>> = {
  "no policies": () => Promise.resolve(),
  "1,000 policies of another resource": async (server) => {
    for (let at = 0; at < 1_000; at++) await add(server, `other-${at}`, "secrets", threeRules);
  },
  "a policy of three rules, beside these": (server) => add(server, "matching", "configmaps", threeRules),
};

async function add({ api }: TestServer, name: string, resource: string, validations: readonly object[]): Promise<void> {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: [resource] };
  await api.create(group, "validatingadmissionpolicies", "", {
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rule] }, validations },
  });
  await api.create(group, "validatingadmissionpolicybindings", "", {
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  });
}

async function measured(): Promise<number> {
  const { object, context } = seen!, times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    for (let review = 0; review < reviews; review++) await validatingPolicies.refuse!(object, undefined, context);
    times.push((performance.now() - begun) * 1000 / reviews);
  }
  return times.sort((a, b) => a - b)[rounds >> 1]!;
}

await using server = await openTestServer({ plugins: [definePlugin({ name: "witness", summary: "A step.", admission: [witness] })] });
for (const [what, change] of Object.entries(inForce)) {
  await change(server);
  // Policies are in force within milliseconds, and their status is written.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const body = JSON.parse(configMap(`new-${what.length}`, 1)) as object;
  await server.api.create("v1", "configmaps", "default", body, { dryRun: true });
  process.stdout.write(`${what.padEnd(40)} ${(await measured()).toFixed(2).padStart(8)} us\n`);
}
