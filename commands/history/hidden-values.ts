/** Secrets without their values: each value is replaced by its number. Equal values have the same number, so that changes show. */
import { createHmac, randomBytes } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { valueText } from "../../core/value-text.ts";

/** The members of a Secret that say nothing about its values. */
const shownMembers: ReadonlySet<string> = new Set(["apiVersion", "kind", "immutable", "type"]);

/** Returns a function that hides the values of the versions of one Secret: its data, its annotations, and members that it should not have. */
export function hiddenValues(): (secret: ApiObject) => ApiObject {
  const key = randomBytes(32), numbers = new Map<string, number>();
  const numberOf = (value: Json): string => {
    // Only digests are kept, and their key is lost with the process.
    const digest = createHmac("sha256", key).update(valueText(value)).digest("base64");
    const number = numbers.get(digest) ?? numbers.size + 1;
    numbers.set(digest, number);
    return `(value ${number}, not shown)`;
  };
  const hidden = (value: Json): Json =>
    isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, numberOf(each)])) : numberOf(value);
  return (secret) => {
    const members = Object.entries(secret as unknown as JsonObject).map(([name, value]): [string, Json] => {
      if (shownMembers.has(name)) return [name, value];
      if (name !== "metadata" || !isObject(value)) return [name, hidden(value)];
      return [name, value["annotations"] === undefined ? value : { ...value, annotations: hidden(value["annotations"]) }];
    });
    return Object.fromEntries(members) as unknown as ApiObject; // the same members
  };
}
