/** The macro `sortBy`: `list.sortBy(x, key)` binds the list, makes the list of its keys, and sorts by them. */
import type { Macro } from "../../declarations.ts";
import { binding, fold, gather, identifier, memberCall, memberMacro, nameOfVariable, overwritesAccumulator } from "../../parse/nodes.ts";

const bound = "@__sortBy_input__";
const notList = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
const tags: ReadonlySet<string> = new Set(["list", "select", "identifier", "comprehension", "call"]);

export const sortByMacro: Macro = memberMacro("sortBy", 2, (context, target, [first, key]) => {
  if (!tags.has(target.tag)) return context.fail(target, notList);
  const name = nameOfVariable(context, first!, "argument is not an identifier");
  if (name === undefined || overwritesAccumulator(context, first!, name)) return undefined;
  const keys = fold(context, identifier(context, bound), [name], gather(context, undefined, key!));
  const sorted = memberCall(context, "@sortByAssociatedKeys", identifier(context, bound), keys);
  return binding(context, bound, target, sorted);
});
