/** `thole version`. */
import { buildInfo, ownVersion, versionText } from "../server/startup/version.ts";
import { UsageError } from "../server/config/commands.ts";
import { indentedText, valueText } from "../core/value-text.ts";

export async function run(args: readonly string[]): Promise<number> {
  const [format] = [args.join(" ").replace(/^(-o|--output)[ =]/, "")];
  if (args.length > 0 && format !== "json") {
    throw new UsageError(`version: unknown words ${valueText(args.join(" "))}: the only ones are -o json`);
  }
  console.log(format === "json" ? indentedText({ thole: ownVersion, ...buildInfo() }) : versionText());
  return 0;
}
