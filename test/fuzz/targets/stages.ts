import { type Target, unless } from "../fuzz.ts";

const object = {
  metadata: { name: "a", labels: { "a.b/c": "true" } },
  status: { conditions: [{ type: "Ready" }, { type: "X" }], count: 3 },
  "": null,
};

/** Expressions in the selectors and delays of Stages. */
export const jqExpressions: Target = {
  name: "jq expressions",
  grammar: {
    expression: ["<term>", "<term> <operator> <expression>", (w) => `${w.write("term")}${w.many("postfix")}`],
    term: [
      ".",
      ".<name>",
      '."<name>"',
      "(<expression>)",
      '"<name>"',
      '"\\u00e9\\"',
      (w) => String(w.below(99)),
      (w) => ["true", "false", "null", "1.5", "1.2.3", "\u00e9"][w.below(6)]!,
      (w) => ["not", "length", "empty", "tostring"][w.below(4)]!,
      (w) => `${["select", "has", "any", "all", "input"][w.below(5)]}(${w.write("expression")})`,
    ],
    name: ["status", "conditions", "type", "metadata", "x_1", ""],
    postfix: ["[]", ".[]", "?", ".<name>", "[<expression>]", "[0]"],
    operator: ["|", ",", "//", "and", "or", "==", "!=", "<", "<=", ">", ">="],
  },
  start: "expression",
  binary: false,
  // The longest evaluation has its own bound of steps, whatever the length.
  stepsPerCharacter: 200,
  async open(code) {
    const { JqError, parseJq, valuesOf } = await code.load("plugins/simulation/stages/jq.ts");
    return (input) => {
      const jq = unless([JqError], () => parseJq(input));
      if (jq !== undefined) valuesOf(jq, object);
    };
  },
};

/** Templates of the patches of Stages. */
export const stageTemplates: Target = {
  name: "stage templates",
  grammar: {
    template: [(w) => w.many("piece")],
    piece: [
      "text ",
      "{{ <pipeline> }}",
      "{{- <pipeline> -}}",
      "{{ <variable> := <pipeline> }}",
      "{{ <variable> = <pipeline> }}",
      (w) => `{{ ${["if", "with", "range"][w.below(3)]} ${w.write("pipeline")} }}${w.many("piece")}{{ end }}`,
      "{{ range $i, $x := <pipeline> }}<template>{{ else }}<template>{{ end }}",
      "{{ if <pipeline> }}<template>{{ else if <pipeline> }}<template>{{ end }}",
      "{{/* <template> */}}",
      (w) => ["{{", "}}", "{{ end }}", "{{ else }}", "{{ ) }}", '{{ "a }}'][w.below(6)]!,
    ],
    pipeline: ["<operand>", "<function>", "<function> | <function>", "(<pipeline>).<name>", "<function> <operand> (<pipeline>)"],
    function: [
      (w) =>
        `${
          [
            "list",
            "dict",
            "printf",
            "print",
            "index",
            "YAML",
            "Quote",
            "toJson",
            "add",
            "eq",
            "lt",
            "len",
            "and",
            "or",
            "not",
            "Now",
            "none",
          ][w.below(17)]
        } ${w.many("operand", " ")}`,
    ],
    operand: [".", ".<name>", "<variable>", "<variable>.<name>", '"%s %q %v%%"', "`a`", "1", "-2.5", "true", "nil", "1x"],
    variable: ["$", "$x", "$i"],
    name: ["status", "conditions", "metadata", "x"],
  },
  start: "template",
  binary: false,
  stepsPerCharacter: 1_000,
  async open(code) {
    const { parseTemplate, renderTemplate, TemplateError } = await code.load("plugins/simulation/stages/template.ts");
    const { templateFunctions } = await code.load("plugins/simulation/stages/template-functions.ts");
    const functions = templateFunctions({
      now: () => "T",
      nodeAddress: () => "10.0.0.1",
      podAddress: () => "",
      nodeConditions: [{ type: "Ready" }],
      nodeName: "n",
    });
    return (input) => {
      const pieces = unless([TemplateError], () => parseTemplate(input));
      if (pieces !== undefined) unless([TemplateError], () => renderTemplate(pieces, object, functions));
    };
  },
};
