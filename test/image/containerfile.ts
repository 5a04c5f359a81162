/** Parses the instructions of the Containerfile, for a machine without a container engine. */
import { readFileSync } from "node:fs";

export interface Instruction {
  /** `FROM`, `COPY`, ... */
  readonly word: string;
  readonly text: string;
}
export interface Stage {
  readonly base: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** The stages in order. */
export function stagesOf(path: string): readonly Stage[] {
  const text = readFileSync(path, "utf8").replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, " ");
  const stages: { base: string; name: string; instructions: Instruction[] }[] = [];
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const [, word = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (word === "") throw new Error(`no instruction: ${line}`);
    if (word === "FROM") {
      const [base = "", , name = ""] = rest.split(" ");
      stages.push({ base, name, instructions: [] });
    } else stages.at(-1)?.instructions.push({ word, text: rest });
  }
  return stages;
}

/** Texts of the instructions of one kind. */
export function all(stage: Stage, word: string): readonly string[] {
  return stage.instructions.filter((each) => each.word === word).map(({ text }) => text);
}

/** The arguments of the last instruction of a kind in list form; empty if there is none. */
export function words(stage: Stage, word: string): readonly string[] {
  const text = all(stage, word).at(-1) ?? "[]";
  return JSON.parse(text.slice(text.indexOf("["))) as string[]; // A wrong shape fails the test.
}
