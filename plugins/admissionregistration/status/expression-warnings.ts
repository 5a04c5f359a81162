/** Makes the warnings of the type checker, in upstream's words. */
import { PolicyTypeChecker } from "../../../cel/policy/type-check.ts";
import type { ServedResource, ServedTypes } from "../../../toolbox.ts";
import type { ExpressionWarning, ValidatingAdmissionPolicy } from "../schema.ts";
import { storedExpressions } from "../../../cel/schema/environments.ts";
import { checkedKinds } from "./checked-kinds.ts";
import { bound } from "../../../core/bound.ts";

/** Maximum number of characters of an expression that is type checked for the status. A longer one would block the event loop. */
export const policyCheckedCharactersMax = bound(8 * 1024);
/** Maximum number of characters of all warnings in the status of a policy. Mistakes that do not fit are left out. */
export const policyWarningsCharactersMax = bound(256 * 1024);

/** The number of characters that further warnings may have. */
interface Room {
  left: number;
}
/** A kind with the checker of its types. */
interface Checked {
  readonly kind: ServedResource;
  readonly checker: PolicyTypeChecker;
}

/**
 * Returns the warnings of a policy. Each concerns one expression, of a validation or its message, and names the kinds with whose types it
 * does not compile. Expressions longer than `policyCheckedCharactersMax` have none.
 *
 * @param turn is called between two expressions; it may let other work run
 */
export async function expressionWarnings(
  policy: ValidatingAdmissionPolicy,
  types: ServedTypes,
  turn: () => Promise<void> | undefined,
): Promise<readonly ExpressionWarning[]> {
  const checked: Checked[] = [];
  for (const kind of checkedKinds(policy, types)) {
    const checker = await checkerOf(kind, policy, types, turn);
    if (checker !== undefined) checked.push({ kind, checker });
  }
  const warnings: ExpressionWarning[] = [], room: Room = { left: policyWarningsCharactersMax };
  for (const [index, { expression, messageExpression = "" }] of (policy.spec.validations ?? []).entries()) {
    const path = `spec.validations[${index}]`;
    for (const [field, text] of [["expression", expression], ["messageExpression", messageExpression]] as const) {
      // The message expression is optional.
      const warning = text === "" && field === "messageExpression" ? "" : await warningOf(text, checked, room, turn);
      if (warning !== "") warnings.push({ fieldRef: `${path}.${field}`, warning });
    }
  }
  return warnings;
}

/** Makes the checker of a kind; undefined if the kind has no schema. */
async function checkerOf(
  kind: ServedResource,
  { spec: { paramKind, variables = [] } }: ValidatingAdmissionPolicy,
  types: ServedTypes,
  turn: () => Promise<void> | undefined,
): Promise<PolicyTypeChecker | undefined> {
  const schema = types.schemaOf(kind);
  if (schema === undefined) return undefined;
  const params = paramKind === undefined ? undefined : parametersKind(paramKind.apiVersion ?? "", paramKind.kind ?? "");
  const checker = new PolicyTypeChecker(
    storedExpressions(),
    { kind: kind.kind, schema },
    params && { kind: params.kind, schema: types.schemaOf(params) },
  );
  for (const { name, expression } of variables) {
    await turn();
    if (isChecked(expression)) checker.declare(name, expression);
    else checker.declareDynamic(name);
  }
  return checker;
}

function parametersKind(apiVersion: string, kind: string): Pick<ServedResource, "group" | "version" | "kind"> {
  const slash = apiVersion.indexOf("/");
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind };
}

function isChecked(expression: string): boolean {
  return expression.length <= policyCheckedCharactersMax;
}

/** Returns the mistakes of an expression for each kind; "" if there are none. */
async function warningOf(text: string, checked: readonly Checked[], room: Room, turn: () => Promise<void> | undefined): Promise<string> {
  if (!isChecked(text)) return "";
  const mistakes: string[] = [];
  for (const { kind: { group, version, kind }, checker } of checked) {
    await turn();
    const mistake = checker.check(text);
    if (mistake === undefined || mistake.length > room.left) continue;
    room.left -= mistake.length;
    mistakes.push(`${group}/${version}, Kind=${kind}: ${mistake}\n`);
  }
  return mistakes.join("\n");
}
