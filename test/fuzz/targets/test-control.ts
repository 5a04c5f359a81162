import assert from "node:assert/strict";
import { type Target, unless } from "../fuzz.ts";
import { jsonGrammar } from "./json.ts";

/** Bodies and queries of the test control, by the schema of one of its operations. */
export const testControl: Target = {
  name: "test-control",
  grammar: {
    ...jsonGrammar,
    input: ["<body>", "<value>", "<query>"],
    body: [(w) => `{${w.many("field", ",")}}`],
    field: [
      '"verbs":["get","<word>"]',
      '"answer":{"code":<number>,"reason":"Conflict","retryAfterSeconds":<number>}',
      '"endWatch":{"how":"<word>","afterEvents":<number>}',
      '"effects":[<body>,<body>]',
      '"events":[{"watch":<number>,"resourceVersion":<string>}]',
      '"by":"<word>"',
      '"<word>":<value>',
      '"__proto__":<value>',
    ],
    word: ["expired", "1m", "slow", "seed", "rate", "nth", "lag", "manifests", "before", "kinds", "constructor"],
    query: [
      "verb=<word>,get&name=<word>",
      "name=%zz&name=1",
      "__proto__=1",
      "<word>=<word>&resource=<character>",
      (w) => "&".repeat(w.below(50)),
    ],
  },
  start: "input",
  binary: false,
  stepsPerCharacter: 40,
  async open(code) {
    const { bodyOf, queryOf } = await code.load("testing/control/body.ts");
    const { operations } = await code.load("testing/control/operations/mod.ts");
    const { StatusError } = await code.load("core/status-error.ts");
    return (input) => {
      const bytes = new TextEncoder().encode(input), operation = operations[input.length % operations.length];
      const body = unless([StatusError], () => bodyOf(operation, bytes, "application/json"));
      assert.ok(body === undefined || (typeof body === "object" && body !== null && !Array.isArray(body)), operation.name);
      const query = unless([StatusError], () => queryOf(operation, input));
      for (const name of Object.keys(query ?? {})) assert.ok(Object.hasOwn(operation.query, name), name);
    };
  },
};
