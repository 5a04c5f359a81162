// The policies of docs/policies/ with kubectl: each accepts and rejects what its case says. The same cases gave the same messages with
// kube-apiserver 1.35.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { until } from "../real-server.ts";
import { bad, good, type Kubectl, kubectlFor, kubectlMissing, kubectls } from "./kubectl.ts";
import { type Attempt, policyCases } from "./policy-cases.ts";
import { againstTheProgram } from "./setups.ts";

const folder = fileURLToPath(new URL("../../docs/policies", import.meta.url));

test("each policy of docs/policies has a case", () => {
  assert.deepEqual(readdirSync(folder).map((file) => file.replace(/\.yaml$/, "")).toSorted(), Object.keys(policyCases).toSorted());
});

const inputOf = ({ input }: Attempt) => input === undefined ? "" : JSON.stringify(input);
const wordsOf = ({ words = "create --dry-run=server -f -" }: Attempt) => words;

/** Puts a policy into effect, tries its case, and removes it. */
export async function tryPolicy(kubectl: Kubectl, name: string): Promise<void> {
  const { prepare = [], accepts, rejects, warns = [] } = policyCases[name]!, file = join(folder, `${name}.yaml`);
  for (const object of prepare) await good(kubectl, "apply -f -", JSON.stringify(object));
  await good(kubectl, ["apply", "-f", file]);
  for (const attempt of rejects) {
    const denied = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ${attempt.message}`;
    await until(async () => assert.ok((await bad(kubectl, wordsOf(attempt), inputOf(attempt))).includes(denied)));
  }
  for (const attempt of accepts) await good(kubectl, wordsOf(attempt), inputOf(attempt));
  for (const attempt of warns) {
    const warning = `Warning: Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${name}': ${attempt.message}`;
    await until(async () => {
      const { code, errors } = await kubectl(wordsOf(attempt), inputOf(attempt));
      assert.deepEqual([code, errors.includes(warning)], [0, true], errors);
    });
  }
  const status = await good(kubectl, ["get", "validatingadmissionpolicy", name, "-o", "jsonpath={.status.typeChecking}"]);
  assert.match(status, /^(\{\})?$/, `type warnings of ${name}: ${status}`);
  await good(kubectl, ["delete", "-f", file]);
}

const clients = { paths: kubectls().slice(0, 1), missing: kubectlMissing() };
againstTheProgram(
  "the policies of docs/policies work with kubectl",
  clients,
  [{ runtime: "deno", store: "sqlite" }],
  async (path, server) => {
    const kubectl = kubectlFor(path, server);
    for (const name of Object.keys(policyCases)) await tryPolicy(kubectl, name);
  },
);
