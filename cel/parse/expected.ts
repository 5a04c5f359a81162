/**
 * The tokens that may come next at each place of the grammar, for messages and for recovery after a mistake. The places are those of the
 * grammar of CEL (doc/langdef.md), with the optional syntax and escaped names.
 */
import { orEnd, tokenSet } from "./tokens.ts";

const literal = tokenSet("-", "true", "false", "null", "double", "int", "uint", "string", "bytes");
const primary = tokenSet("[", "{", "(", ".", literal, "identifier");
const unary = tokenSet(primary, "!");
const optional = tokenSet(unary, "?");
const name = tokenSet("identifier", "escaped");
const member = orEnd(".", "[");

export const expected = {
  end: tokenSet("end"),
  nothing: orEnd(),
  unary,
  primary,
  literal,
  int: tokenSet("-", "int"),
  double: tokenSet("-", "double"),
  name,
  optionalName: tokenSet("?", name),
  optional,
  identifier: tokenSet("identifier"),
  dotIdentifier: tokenSet(".", "identifier"),
  question: tokenSet("?"),
  questionOrEnd: orEnd("?"),
  colon: tokenSet(":"),
  or: orEnd("||"),
  and: orEnd("&&"),
  relation: orEnd("<", "<=", ">=", ">", "==", "!=", "in"),
  calc: orEnd("*", "/", "%", "+", "-"),
  nots: unary,
  not: tokenSet("!"),
  minus: tokenSet("-"),
  member,
  memberStart: tokenSet(".", "["),
  commaOrEnd: orEnd(","),
  comma: tokenSet(","),
  dot: tokenSet("."),
  openParenthesis: tokenSet("("),
  closeParenthesis: tokenSet(")"),
  arguments: tokenSet(unary, ")"),
  openBracket: tokenSet("["),
  closeBracket: tokenSet("]"),
  list: tokenSet(optional, ",", "]"),
  listEnd: tokenSet(",", "]"),
  openBrace: tokenSet("{"),
  closeBrace: tokenSet("}"),
  map: tokenSet(optional, ",", "}"),
  mapEnd: tokenSet(",", "}"),
  fields: tokenSet("?", name, ",", "}"),
  messageName: tokenSet(".", "{"),
} as const;
