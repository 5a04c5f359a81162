/**
 * Shard selectors of lists and watches (KEP-5866): ranges of hashes of one field of metadata, written as calls in CEL that are read and
 * never evaluated, such as `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`, joined by `||`.
 */
import { append } from "../core/append.ts";
import { bound } from "../core/bound.ts";
import { goQuote } from "../core/tree/go-quote.ts";
import { type Expr, operators } from "./ast.ts";
import { parse } from "./parse/parse.ts";

/** Ranges of one shard selector. Upstream has no bound but that of the expression. */
export const shardRangesMax = bound(1_000);

/** The fields that can decide the shard of an object. */
export type ShardField = "uid" | "namespace";

export interface ShardSelector {
  readonly field: ShardField;
  /** The canonical text, which a list returns as `shardInfo.selector`. */
  readonly text: string;
  /** Whether an object whose field has this value is in the shard. */
  has(value: string): boolean;
}

export type ParsedShardSelector = { readonly ok: true; readonly selector: ShardSelector } | { readonly ok: false; readonly error: string };

/** A mistake in a selector: thrown and caught in this file. */
class Mistake extends Error {}

/** Two texts of 16 hexadecimal digits; the end is excluded, and undefined for 2^64. */
interface ShardRange {
  readonly path: string;
  readonly start: string;
  readonly end: string | undefined;
}

const pathOf = (field: ShardField): string => `object.metadata.${field}`;
const fields: readonly ShardField[] = ["uid", "namespace"];
const pastLast = "10000000000000000";

/** Reads a selector. The mistakes have upstream's texts, but for those of the syntax of CEL. */
export function parseShardSelector(text: string): ParsedShardSelector {
  try {
    return { ok: true, selector: selectorOf(text.trim()) };
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return { ok: false, error: `invalid shard selector: ${error.message}` };
  }
}

function selectorOf(text: string): ShardSelector {
  if (text === "") throw new Mistake("empty shard selector is not allowed; omit the parameter for unfiltered lists");
  const { ast, issues } = parse(text, { macros: [], optionalSyntax: false });
  if (ast === undefined) throw new Mistake(`CEL parse error: ${issues[0]?.message ?? "no expression"}`);
  const ranges = [...rangesOf(ast.expr)], { path } = ranges[0]!; // an expression has a range, or a mistake
  const other = ranges.find((range) => range.path !== path);
  if (other !== undefined) {
    throw new Mistake(`all shard ranges must use the same field, got ${goQuote(path)} and ${goQuote(other.path)}`);
  }
  return {
    field: fields.find((field) => pathOf(field) === path)!, // checked with the range
    text: ranges.map(({ start, end }) => `shardRange(${path}, '0x${start}', '0x${end ?? pastLast}')`).join(" || "),
    has(value) {
      const hash = shardHash(value);
      return ranges.some(({ start, end }) => start <= hash && (end === undefined || hash < end));
    },
  };
}

function rangesOf(root: Expr): readonly ShardRange[] {
  const ranges: ShardRange[] = [], waiting = [root];
  for (let expr = waiting.pop(); expr !== undefined; expr = waiting.pop()) {
    if (expr.tag !== "call") throw new Mistake("unexpected expression; expected shardRange() call or || operator");
    if (expr.function === operators.or) append(waiting, expr.args.toReversed());
    else if (expr.function === "shardRange") ranges.push(rangeOf(expr.args));
    else throw new Mistake(`unsupported function ${goQuote(expr.function)}; only shardRange() and || are allowed`);
    if (ranges.length > shardRangesMax) throw new Mistake(`more than ${shardRangesMax} ranges`);
  }
  return ranges;
}

function rangeOf(args: readonly Expr[]): ShardRange {
  const [field, from, to] = args;
  if (args.length !== 3) throw new Mistake(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  const path = fieldPath(field!);
  if (!fields.some((known) => pathOf(known) === path)) {
    throw new Mistake(`shardRange() first argument: unsupported field path ${goQuote(path)}; supported: ${fields.map(pathOf).join(", ")}`);
  }
  const start = hexDigits(from!, "hexStart"), end = hexDigits(to!, "hexEnd");
  if (start === pastLast || (end !== pastLast && start >= end)) {
    throw new Mistake(`shard range start 0x${start} must be less than end 0x${end}`);
  }
  return { path, start, end: end === pastLast ? undefined : end };
}

function fieldPath(expr: Expr): string {
  const names: string[] = [];
  for (let at = expr;; at = at.operand) {
    if (at.tag === "identifier") return [at.name, ...names].join(".");
    if (at.tag !== "select") throw new Mistake("shardRange() first argument: expected field path (e.g. object.metadata.uid)");
    names.unshift(at.field);
  }
}

/** The digits of a literal such as `'0x8000000000000000'`. */
function hexDigits(expr: Expr, name: string): string {
  if (expr.tag !== "constant" || typeof expr.value !== "string") throw new Mistake(`${name} must be a string literal (e.g. '0xff')`);
  const { value } = expr, digits = value.slice(2), shown = goQuote(value);
  if (!value.startsWith("0x")) throw new Mistake(`${name} must have '0x' prefix, got ${shown}`);
  if (digits === "") throw new Mistake(`${name}: hex value is required after '0x'`);
  if (digits.length > 17) throw new Mistake(`${name}: hex value too long (${digits.length} chars, max 17): ${goQuote(digits)}`);
  const wrong = [...digits].find((digit) => !"0123456789abcdef".includes(digit));
  if (wrong !== undefined) throw new Mistake(`${name}: invalid hex character ${goQuote(wrong)} in ${shown}`);
  if (digits.length === 17 && digits !== pastLast) {
    throw new Mistake(`${name}: 17-digit hex value must be '0x${pastLast}' (2^64), got ${shown}`);
  }
  if (digits.length < 16) {
    const padded = goQuote(`0x${digits.padStart(16, "0")}`);
    throw new Mistake(`${name} must be a 0x-prefixed 16-digit hex value, got ${shown} (did you mean ${padded}?)`);
  }
  return digits;
}

const toBytes = new TextEncoder();
/** The prime 2^40 + 0x1b3 and the offset of FNV-1a with 64 bits. */
const primeLow = 0x1b3, offsetHigh = 0xcbf29ce4, offsetLow = 0x84222325;

/** The hash of a value (FNV-1a, 64 bits) as 16 hexadecimal digits. */
export function shardHash(value: string): string {
  let high = offsetHigh, low = offsetLow;
  for (const byte of toBytes.encode(value)) {
    low = (low ^ byte) >>> 0;
    const product = low * primeLow; // less than 2^41
    high = (Math.imul(high, primeLow) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}
