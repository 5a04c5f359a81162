/** `npm run fuzz -- --seconds 600 --seed 7 --only yaml`: runs every target, or those whose name contains a text, for this total time. */
import process from "node:process";
import { parseArgs } from "node:util";
import { seedOfRun } from "../../core/derive/test-random.ts";
import { fuzz, FuzzFailure } from "./fuzz.ts";
import { instrumentedCopies } from "./steps.ts";
import { targets } from "./targets/mod.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "60" }, seed: { type: "string" }, only: { type: "string" } },
});
const chosen = targets.filter(({ name }) => values.only === undefined || name.includes(values.only));
if (chosen.length === 0) {
  console.error(`No target of this name; there are ${targets.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const first = values.seed === undefined ? seedOfRun() : Number(values.seed);
const msEach = Number(values.seconds) * 1000 / chosen.length;
/** The seed changes periodically, so that each failure can be reproduced in a short run. */
const inputsPerSeed = 2000;
const code = instrumentedCopies();
let failures = 0;
try {
  for (const target of chosen) {
    const end = performance.now() + msEach;
    let inputs = 0, worst = { worst: 0, worstInput: "" };
    let seed = first;
    for (; performance.now() < end; seed++) {
      try {
        const outcome = await fuzz(target, code, seed, (count) => count < inputsPerSeed && performance.now() < end);
        inputs += outcome.inputs;
        if (outcome.worst > worst.worst) worst = outcome;
      } catch (error) {
        if (!(error instanceof FuzzFailure)) throw error;
        failures++;
        console.error(`\n${error.message}\nAgain: npm run fuzz -- --only ${target.name} --seed ${seed}\n`);
        break;
      }
    }
    console.log(
      `${target.name}: seeds ${first} to ${Math.max(first, seed - 1)}, ${inputs} inputs, ` +
        `at most ${worst.worst.toFixed(0)} steps a character (${JSON.stringify(worst.worstInput.slice(0, 40))})`,
    );
  }
} finally {
  code.close();
}
process.exitCode = failures === 0 ? 0 : 1;
