/**
 * Templates in the language of Go's text/template, as far as stages use it: actions, `if`, `else`, `range`, `with`, `end`, variables, pipelines, comments and
 * trimmed spaces. A template comes from the network: its length, depth, steps and output are bounded.
 */
import { bound } from "../../../core/bound.ts";
import type { Json } from "../../../core/json.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { weightOf } from "./weight.ts";
import { type Command, type Operand, parseTemplate, type Piece, type Pipeline, TemplateError } from "./template-parser.ts";

/** Steps of one output of a template. A function takes one for each value in its arguments and in its result. */
const templateStepsMax = bound(100_000);
/** Characters of the output of a template. */
export const templateOutputMax = bound(262_144);

export { parseTemplate, TemplateError };
export type { Piece };

/** A function of templates. */
export type TemplateFunction = (...args: readonly Json[]) => Json;
/** The functions of templates by name. */
export type TemplateFunctions = Readonly<Record<string, TemplateFunction>>;

type Block = Extract<Piece, { readonly pipeline: Pipeline; readonly body: unknown }>;

interface Scope {
  readonly dot: Json;
  /** Variables; an inner scope shares those that it does not declare. */
  readonly variables: Map<string, { value: Json }>;
}

/** Returns the output of a template. Throws a TemplateError. */
export function renderTemplate(pieces: readonly Piece[], data: Json, functions: TemplateFunctions): string {
  const output = new Output(functions);
  output.all(pieces, { dot: data, variables: new Map([["$", { value: data }]]) });
  return output.text;
}

/** Whether a value counts as true: not empty. */
export function isTruth(value: Json): boolean {
  if (value === null || value === false || value === 0 || value === "") return false;
  if (typeof value !== "object") return true;
  return Array.isArray(value) ? value.length > 0 : hasMembers(value);
}

/** Whether objects have members: counting them takes as long as there are members, and a template may ask often. */
const membered = new WeakMap<object, boolean>();
function hasMembers(value: object): boolean {
  let known = membered.get(value);
  if (known === undefined) membered.set(value, known = Object.keys(value).length > 0);
  return known;
}

/** The text of a value, as Go prints it. */
export function printed(value: Json): string {
  if (value === null) return "<no value>";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(printed).join(" ")}]`;
  return `map[${
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, each]) => `${key}:${printed(each as Json)}`).join(" ")
  }]`;
}

class Output {
  text = "";
  #steps = templateStepsMax;
  readonly #functions: TemplateFunctions;

  constructor(functions: TemplateFunctions) {
    this.#functions = functions;
  }

  all(pieces: readonly Piece[], scope: Scope): void {
    for (const piece of pieces) this.#one(piece, scope);
  }

  #step(steps = 1): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new TemplateError(`more than ${templateStepsMax} steps`);
  }

  #write(text: string): void {
    if (this.text.length + text.length > templateOutputMax) throw new TemplateError(`more than ${templateOutputMax} characters of output`);
    this.text += text;
  }

  #one(piece: Piece, scope: Scope): void {
    this.#step();
    if (piece.tag === "text") return this.#write(piece.text);
    if (piece.tag === "action") {
      const value = this.#pipeline(piece.pipeline, scope);
      if (piece.pipeline.names.length > 0) return;
      this.#weigh(value);
      return this.#write(printed(value));
    }
    this.#step(scope.variables.size);
    const inner: Scope = { dot: scope.dot, variables: new Map(scope.variables) };
    if (piece.tag === "range") return this.#range(piece, inner);
    const value = this.#pipeline(piece.pipeline, inner);
    const next = piece.tag === "with" && isTruth(value) ? { ...inner, dot: value } : inner;
    this.all(isTruth(value) ? piece.body : piece.otherwise, next);
  }

  #range({ pipeline, body, otherwise }: Block, scope: Scope): void {
    const value = this.#value(pipeline, scope);
    const entries = Array.isArray(value)
      ? value.map((each, i) => [i, each] as const)
      : value !== null && typeof value === "object"
      ? Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1) as readonly (readonly [string, Json])[]
      : [];
    if (entries.length === 0) return this.all(otherwise, scope);
    const [first, second] = pipeline.names;
    this.#step(entries.length);
    for (const [key, each] of entries) {
      this.#step(scope.variables.size);
      const variables = new Map(scope.variables);
      if (second !== undefined) variables.set(first!, { value: key }).set(second, { value: each });
      else if (first !== undefined) variables.set(first, { value: each });
      this.all(body, { dot: each, variables });
    }
  }

  /** The value of a pipeline, after its variable is set. */
  #pipeline(pipeline: Pipeline, scope: Scope): Json {
    const value = this.#value(pipeline, scope), [name] = pipeline.names;
    if (name === undefined) return value;
    if (pipeline.declares) scope.variables.set(name, { value });
    else {
      const known = scope.variables.get(name);
      if (known === undefined) throw new TemplateError(`undefined variable ${name}`);
      known.value = value;
    }
    return value;
  }

  #value({ commands }: Pipeline, scope: Scope): Json {
    let value: Json | undefined;
    for (const command of commands) value = this.#command(command, scope, value);
    return value ?? null;
  }

  #command([operand, ...args]: Command, scope: Scope, last: Json | undefined): Json {
    this.#step();
    if (operand!.tag !== "function") {
      if (args.length > 0 || last !== undefined) throw new TemplateError("arguments for what is no function");
      return this.#operand(operand!, scope);
    }
    const { name } = operand!;
    // As in Go: the arguments after the one that decides are not evaluated.
    if (name === "and" || name === "or") {
      let value: Json = last ?? null;
      for (const each of args) {
        value = this.#operand(each, scope);
        if (isTruth(value) === (name === "or")) return value;
      }
      return last ?? value;
    }
    const values = args.map((each) => this.#operand(each, scope));
    return this.#call(name, last === undefined ? values : [...values, last]);
  }

  #call(name: string, args: readonly Json[]): Json {
    const called = Object.hasOwn(this.#functions, name) ? this.#functions[name] : undefined;
    if (called === undefined) throw new TemplateError(`function ${goQuote(name)} not defined`);
    for (const each of args) this.#weigh(each);
    const value = called(...args) ?? null;
    this.#weigh(value);
    return value;
  }

  #weigh(value: Json): void {
    this.#step(weightOf(value, this.#steps));
  }

  #operand(operand: Operand, scope: Scope): Json {
    this.#step();
    switch (operand.tag) {
      case "value":
        return operand.value;
      case "function":
        return this.#call(operand.name, []);
      case "dot":
        return fieldOf(scope.dot, operand.path);
      case "variable": {
        const known = scope.variables.get(operand.name);
        if (known === undefined) throw new TemplateError(`undefined variable ${operand.name}`);
        return fieldOf(known.value, operand.path);
      }
      case "pipeline":
        return fieldOf(this.#value(operand.pipeline, scope), operand.path);
    }
  }
}

/** A field of an object, or of what is absent. */
function fieldOf(value: Json, path: readonly string[]): Json {
  let at = value;
  for (const name of path) {
    if (at === null) return null;
    if (typeof at !== "object" || Array.isArray(at)) throw new TemplateError(`can't evaluate field ${name}`);
    at = Object.hasOwn(at, name) ? (at as Readonly<Record<string, Json>>)[name] ?? null : null;
  }
  return at;
}
