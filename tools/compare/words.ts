import { readdirSync, readFileSync } from "node:fs";
import { isObject, type Json } from "../../core/json.ts";
import { valueText } from "../../core/value-text.ts";
import { filledIn } from "./bases.ts";

/** Values by the name of the member that had them in a recorded conversation: what a client would write there. */
export type Words = ReadonlyMap<string, readonly Json[]>;

interface Recording {
  readonly scenarios: readonly {
    readonly steps: readonly { readonly body?: Json }[];
    readonly answers: readonly { readonly status?: number; readonly body?: Json }[];
  }[];
}

const folder = new URL("../../test/transcripts/recorded/", import.meta.url);
/** Characters of one value, and values of one member. */
const textMax = 1500, valuesMax = 60;

/** Reads the values of all members that recorded requests and accepted answers have. */
export function recordedWords(namespace: string, word: string): Words {
  const byKey = new Map<string, Map<string, Json>>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) (value as readonly Json[]).forEach(visit);
    else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        const text = valueText(member), known = byKey.get(key) ?? new Map<string, Json>();
        byKey.set(key, known);
        if (text.length < textMax && known.size < valuesMax) known.set(text, member);
        visit(member);
      }
    }
  };
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
    const { scenarios } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Recording;
    for (const { steps, answers } of scenarios) {
      for (const { body } of steps) if (body !== undefined) visit(filledIn(body, namespace, word));
      for (const { status = 500, body } of answers) if (status < 300 && body !== undefined) visit(filledIn(body, namespace, word));
    }
  }
  return new Map([...byKey].map(([key, values]) => [key, [...values.values()].filter((value) => !valueText(value).includes("${"))]));
}
