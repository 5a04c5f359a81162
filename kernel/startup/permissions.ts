/** The old place of `server/startup/permissions.ts`, for scripts that start it by its path. Release 0.2.0 is the last one that has it. */
import process from "node:process";
import { valueText } from "../../core/value-text.ts";
import { launchOf } from "../../server/startup/permissions.ts";

if (import.meta.main) console.log(valueText(launchOf(process.argv.slice(2), process.cwd())));
