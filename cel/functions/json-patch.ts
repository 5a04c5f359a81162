/** `jsonpatch.escapeKey`, upstream's library `kubernetes.jsonpatch`. Only environments of mutations have it. */
import { scale, traversalFactor } from "../cost/range.ts";
import { stringType } from "../types.ts";
import { spend } from "../value/work.ts";
import { type Costs, declare, reading } from "./costs.ts";
import type { Library } from "./library.ts";
import { overload } from "./standard/overload.ts";

/** The costs of reading the argument once. The estimated size of the result is the argument's. */
const escaping: Costs = {
  ...reading(1),
  estimate: ({ args }, estimator) => {
    if (args[0] === undefined) return undefined;
    const resultSize = estimator.sizeOf(args[0]);
    return { cost: scale(resultSize, traversalFactor), resultSize };
  },
};

/** Returns a key as a part of a JSON pointer. */
function escapeKey(key: string): string {
  spend(key.length);
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

export const jsonPatchLibrary: Library = {
  name: "kubernetes.jsonpatch",
  since: 0,
  functions: [
    declare(
      "jsonpatch.escapeKey",
      escaping,
      overload("string_jsonpatch_escapeKey_string", [stringType], stringType, (key) => escapeKey(key as string)),
    ),
  ],
};
