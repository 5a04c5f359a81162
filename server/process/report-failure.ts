/** Prints what stops a program: errors that an operator can fix as plain lines, others with their stack. */
import { reasonOf } from "../../core/reason-of.ts";
import { CatalogError } from "../../kernel/catalog/catalog.ts";
import { UsageError } from "../config/commands.ts";
import { ConfigError } from "../config/parse.ts";

export function reportFailure(error: unknown): void {
  if (error instanceof UsageError) console.error(`thole: ${error.message}`);
  else if (error instanceof ConfigError || error instanceof CatalogError) {
    for (const mistake of error.mistakes) console.error(`thole: ${mistake}`);
  } else {
    console.error(`thole: cannot start: ${reasonOf(error)}`);
    if (isBug(error)) console.error(error.stack);
  }
}

/** Errors that JavaScript throws for bugs; files, ports and addresses fail with other errors. */
function isBug(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError || error instanceof SyntaxError;
}
