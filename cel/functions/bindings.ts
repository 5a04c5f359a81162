/** The macro `cel.bind(name, value, expression)`, which names a value; upstream's library `cel.lib.ext.cel.bindings`. */
import { binding, memberMacro, nameOfVariable } from "../parse/nodes.ts";
import type { Library } from "./library.ts";

export const bindingsLibrary: Library = {
  name: "cel.lib.ext.cel.bindings",
  since: 0,
  functions: [],
  macros: [
    memberMacro("bind", 3, (context, target, [first, value, body]) => {
      if (target.tag !== "identifier" || target.name !== "cel") return undefined;
      const name = nameOfVariable(context, first!, "cel.bind() variable names must be simple identifiers");
      return name === undefined ? undefined : binding(context, name, value!, body!);
    }),
  ],
};
