/** Why a plugin module cannot be loaded, with the place in the sources: each runtime has it elsewhere in its errors. */
import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";
import { logTextLengthMax } from "../../core/bounds.ts";

/** Milliseconds in which a plugin module must be loaded. */
export const pluginLoadMs = bound(10_000);

/** A module that was found, and whose own code, or that of a file it imports, fails. The message begins with file and line. */
export class ModuleError extends Error {}

/** The URL below which this program's own modules are: in the repository its root, in the package the folder of the bundle. */
const own = import.meta.url.endsWith(".ts") ? new URL("../../", import.meta.url).href : new URL(".", import.meta.url).href;
/** Folders of the repository that only have code of the program. */
const ownFolders = import.meta.url.endsWith(".ts") ? ["core/", "kernel/", "plugins/", "metrics/", "health/"] : [""];

/**
 * The error with the place of the fault, if that is known.
 *
 * @param url of the module whose import has failed
 * @param locate finds the place that Node keeps to itself; default: `placeByNode`
 */
export async function withPlace(error: unknown, url: string, locate: (url: string) => Promise<string> = placeByNode): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const message = stripVTControlCharacters(error.message), stack = stripVTControlCharacters(error.stack ?? "");
  const place = placeInMessage(message) ?? placeAbove(stack) ?? placeOfFrame(stack) ??
    (error.name === "SyntaxError" && !("Deno" in globalThis) && !message.startsWith("/") ? placeAbove(await locate(url)) : undefined);
  return place === undefined ? error : new ModuleError(`${place}: ${bareMessage(message)}`, { cause: error });
}

/** Deno: `...\n    at file:///plugin.ts:3:8`, or ` at file:///plugin.ts:3:8` at the end of the line. */
function placeInMessage(message: string): string | undefined {
  const at = message.lastIndexOf(" at file://");
  return at < 0 ? undefined : placeOf(message.slice(at + " at ".length));
}

/** Node, of TypeScript and of imports: `file:///plugin.ts:3` and the line of code before the error. */
function placeAbove(stack: string): string | undefined {
  return placeOf(stack.slice(0, Math.max(0, stack.indexOf("\n"))));
}

/** The innermost call that is not one of the runtime or of this program, of code that runs while the module is loaded. */
function placeOfFrame(stack: string): string | undefined {
  for (const line of stack.split("\n")) {
    const at = line.indexOf("file://");
    if (at < 0 || !line.startsWith("    at ") || line.startsWith("    at async ")) continue;
    const url = line.slice(at);
    if (!ownFolders.some((folder) => url.startsWith(own + folder))) return placeOf(url.endsWith(")") ? url.slice(0, -1) : url);
  }
  return undefined;
}

/** `/plugin.ts:3:8` of a path or URL of a file with line and column; undefined for other texts. */
function placeOf(text: string): string | undefined {
  const words = text.trim().split(":"), numbers: string[] = [];
  while (numbers.length < 2 && /^\d+$/.test(words.at(-1) ?? "")) numbers.unshift(words.pop()!);
  const file = words.join(":");
  if (numbers.length === 0 || !(file.startsWith("file://") || file.startsWith("/"))) return undefined;
  return [file.startsWith("file://") ? fileURLToPath(file) : file, ...numbers].join(":");
}

/** Without the name of the error, the excerpt of the source and the place, which Deno adds. */
function bareMessage(message: string): string {
  const [line = ""] = message.split("\n"), at = line.lastIndexOf(" at file://");
  const text = at < 0 ? line : line.slice(0, at), name = "SyntaxError: ";
  return text.startsWith(name) ? text.slice(name.length) : text;
}

/**
 * Node has no place in the SyntaxErrors of JavaScript; it prints one when such an error ends a process. So a process loads the module again: none of its code
 * runs, because all imports are parsed first.
 */
function placeByNode(url: string): Promise<string> {
  const words = [...process.execArgv, "--input-type=module", "--eval", `import(${valueText(url)})`];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe"], timeout: pluginLoadMs });
  return new Promise((resolve) => {
    let text = "";
    child.stderr.on("data", (chunk) => {
      if (text.length < logTextLengthMax) text += chunk;
    });
    child.on("error", () => resolve(""));
    child.on("close", () => resolve(text));
  });
}
