/** Prints the Deno permissions of one process with the settings of its arguments: `supervise.ts` runs it with the right to read every file. */
import process from "node:process";
import { launchOf } from "../startup/permissions.ts";
import { valueText } from "../../core/value-text.ts";

console.log(valueText(launchOf(process.argv.slice(2), process.cwd())));
