/** `thole version`. */
import { buildInfo, ownVersion, versionText } from "../startup/version.ts";
import { UsageError } from "../config/commands.ts";

export async function run(args: readonly string[]): Promise<number> {
  const [format] = [args.join(" ").replace(/^(-o|--output)[ =]/, "")];
  if (args.length > 0 && format !== "json") {
    throw new UsageError(`version: unknown words ${JSON.stringify(args.join(" "))}: the only ones are -o json`);
  }
  console.log(format === "json" ? JSON.stringify({ thole: ownVersion, ...buildInfo() }, undefined, 2) : versionText());
  return 0;
}
