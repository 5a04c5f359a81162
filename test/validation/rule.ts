/**
 * The entries of tables of validation rules. A rule has the key of the reference (field, operations, error, text), so that a test can check
 * that none is missing. Each of its cases violates the rule once, minimally, and has a valid counterpart.
 */
export type Operation = "create" | "update" | "status" | "finalize";

/** Changes an object like a JSON merge patch: `null` removes a member, lists are replaced as a whole. */
export type Change = Readonly<Record<string, unknown>>;

export type Reason = "Required" | "Invalid" | "Duplicate" | "NotSupported" | "Forbidden" | "TooLong" | "TooMany";

export interface Case {
  /** The cause's field and reason, without the `FieldValue` before it. */
  readonly at: string;
  readonly reason: Reason;
  readonly broken: Change;
  /** A change to the valid object. Default: the kind's valid object. */
  readonly held?: Change;
  /** The stored object before an update; both other changes apply to it. Default: `held`. */
  readonly prior?: Change;
  /** Deletion is requested before the update; `prior` has a finalizer that keeps the object. */
  readonly deleting?: true;
  /** Default: the operations of the rule, except excluded ones. */
  readonly on?: readonly Operation[];
}

export interface Rule {
  readonly field: string;
  /** Operations, joined with a plus sign. */
  readonly on: string;
  readonly error: string;
  readonly words: string;
  readonly cases: readonly Case[];
  /**
   * The reason why an operation or an error of the rule, or the whole rule, is unreachable for clients. Unreachable rules are tested in
   * inner_test.ts.
   */
  readonly except: Readonly<Partial<Record<Operation | Reason | "all", string>>>;
  /** The reason in a recording of upstream, if it differs from the reference: recordings take precedence. */
  readonly recorded?: Reason;
}

export interface KindRules {
  /** The name in the reference. */
  readonly kind: string;
  /** Path of the collection. */
  readonly path: string;
  /** The smallest valid object, without a name. */
  readonly valid: Change;
  /** Its objects have no name: they are never stored. */
  readonly unnamed?: true;
  readonly rules: readonly Rule[];
}

/** One rule and its violations. */
export function rule(id: readonly [field: string, on: string, error: string, words: string], ...cases: readonly Case[]): Rule {
  const [field, on, error, words] = id;
  return { field, on, error, words, cases, except: {} };
}

/** One rule of which some operations, an error, or all requests (`all`) are unreachable. */
export function partly(
  id: readonly [field: string, on: string, error: string, words: string],
  except: Rule["except"],
  ...cases: readonly Case[]
): Rule {
  return { ...rule(id, ...cases), except };
}

/** One rule whose error in recordings of upstream differs from the reference. */
export function recordedRule(
  id: readonly [field: string, on: string, error: string, words: string],
  recorded: Reason,
  ...cases: readonly Case[]
): Rule {
  return { ...rule(id, ...cases), recorded };
}

/** The operations of a case. */
export function operationsOf({ on, except }: Rule, { on: own }: Case): readonly Operation[] {
  // The reference has no other words for operations; an unknown one fails in the test.
  return own ?? (on.split("+") as Operation[]).filter((each) => except[each] === undefined);
}

export function merged(base: unknown, change: unknown): unknown {
  if (!isRecord(change)) return change;
  const out: Record<string, unknown> = isRecord(base) ? { ...base } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete out[key];
    else out[key] = merged(out[key], value);
  }
  return out;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
