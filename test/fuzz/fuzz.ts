/** Runs one target on generated inputs, and checks each: own errors only, the target's own assertions, and linear work. */
import { randomOf } from "../../core/random.ts";
import { generator, type Grammar, mutated, pumped } from "./grammar.ts";
import { type Instrumented, TooMuchWork } from "./steps.ts";

/** A decoder with the grammar of its inputs. */
export interface Target {
  readonly name: string;
  readonly grammar: Grammar;
  /** The symbol of a whole input. */
  readonly start: string;
  /** Inputs are bytes; otherwise they are text, which reaches the decoder as UTF-8 or as it is. */
  readonly binary: boolean;
  /** Maximum steps per character of an input, besides `stepsAtLeast`. */
  readonly stepsPerCharacter: number;
  /** The function to run, from instrumented modules. It returns for valid and invalid input, and throws for bugs. */
  open(code: Instrumented): Promise<(input: string) => void>;
}

/** Steps of every input: tables that are built on first use, and the cost of an error. */
const stepsAtLeast = 100_000;
const pumpedLength = 20_000;

export interface Outcome {
  readonly inputs: number;
  readonly characters: number;
  /** The maximum steps per character for inputs of some length, and the beginning of that input. */
  readonly worst: number;
  readonly worstInput: string;
}

/** A failing input, with everything to reproduce it. */
export class FuzzFailure extends Error {
  readonly input: string;
  constructor(target: string, seed: number, input: string, cause: unknown) {
    const shown = JSON.stringify(input.length > 2000 ? `${input.slice(0, 2000)}...` : input);
    const why = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
    super(`target ${target}, seed ${seed}, input of ${input.length} characters ${shown}: ${why}`, { cause });
    this.input = input;
  }
}

/** Runs until `goesOn` returns false and every production of the grammar was used. */
export async function fuzz(target: Target, code: Instrumented, seed: number, goesOn: (inputs: number) => boolean): Promise<Outcome> {
  const run = await target.open(code);
  const random = randomOf(seed);
  const made = generator(target.grammar, target.start, random);
  let inputs = 0, characters = 0, worst = 0, worstInput = "";
  const known: string[] = [];
  while (goesOn(inputs) || (made.unused.size > 0 && inputs < 5000)) {
    const input = nextInput();
    inputs++;
    characters += input.length;
    try {
      const steps = code.count(stepsAtLeast + target.stepsPerCharacter * input.length, () => run(input));
      if (input.length > 1000 && steps / input.length > worst) [worst, worstInput] = [steps / input.length, input.slice(0, 80)];
    } catch (error) {
      throw new FuzzFailure(target.name, seed, input, error);
    }
  }
  if (made.unused.size > 0) throw new Error(`target ${target.name}: never written: ${[...made.unused].join(", ")}`);
  return { inputs, characters, worst, worstInput };

  function nextInput(): string {
    const kind = random();
    const before = known[Math.floor(random() * known.length)];
    if (kind < 0.5 || before === undefined) {
      const fresh = made.input(random() < 0.1 ? 300 : 6);
      if (fresh.length < 5000) {
        if (known.length < 200) known.push(fresh);
        else known[Math.floor(random() * known.length)] = fresh;
      }
      return fresh;
    }
    if (kind < 0.9) return mutated(before, random, target.binary);
    return pumped(before, random, pumpedLength);
  }
}

/** The bytes of an input that is binary. */
export function bytesOf(input: string): Uint8Array {
  return Uint8Array.from(input, (character) => character.charCodeAt(0) & 0xff);
}

/** Returns what the work returns; undefined when it throws one of the decoder's own errors. */
export function unless<T>(own: readonly (abstract new (...args: any[]) => Error)[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TooMuchWork) && own.some((type) => error instanceof type)) return undefined;
    throw error;
  }
}

/** Returns the result of the work; undefined if it throws a plain Error, as decoders of trusted bytes do. */
export function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const bugs = [TypeError, RangeError, ReferenceError, SyntaxError, TooMuchWork];
    if (error instanceof Error && !bugs.some((type) => error instanceof type)) return undefined;
    throw error;
  }
}
