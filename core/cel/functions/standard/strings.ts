/** `contains`, `endsWith`, `startsWith` and `matches`. */
import type { FunctionDeclaration } from "../../declarations.ts";
import { boolType, stringType } from "../../types.ts";
import { member, overload } from "./overload.ts";

const two = [stringType, stringType];

export const strings: readonly FunctionDeclaration[] = [
  { name: "contains", overloads: [member("contains_string", two, boolType)] },
  { name: "endsWith", overloads: [member("ends_with_string", two, boolType)] },
  { name: "startsWith", overloads: [member("starts_with_string", two, boolType)] },
  { name: "matches", overloads: [overload("matches", two, boolType), member("matches_string", two, boolType)] },
];
