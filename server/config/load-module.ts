import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Clock, within } from "../../core/async.ts";
import { DefinitionError } from "../../core/define/define.ts";
import { isPath } from "./choose-plugins.ts";
import { pluginLoadMs, withPlace } from "./module-error.ts";

type Module = Readonly<Record<string, unknown>>;

/**
 * Loads a plugin module. Paths are relative to the working directory; other words are packages. Rejects if the module does not finish in time, such as one that
 * waits for something that never happens, and with a ModuleError, which has file and line, for a fault in it or in a file that it imports.
 */
export function loadModule(specifier: string): Promise<Module> {
  return inTime(load(specifier));
}

/** Rejects if the module does not finish loading in time. */
export function inTime(loading: Promise<Module>, clock?: Pick<Clock, "after">): Promise<Module> {
  const late = () => new Error(`it did not finish within ${pluginLoadMs / 1000} s: does it await something that never happens?`);
  return within(loading, pluginLoadMs, late, clock);
}

async function load(specifier: string): Promise<Module> {
  const path = isPath(specifier) ? resolve(specifier) : undefined, url = path === undefined ? specifier : pathToFileURL(path).href;
  try {
    return await import(url);
  } catch (error) {
    if (error instanceof DefinitionError) throw error;
    const manifest = error instanceof SyntaxError && path !== undefined ? manifestAbove(path) : undefined;
    if (manifest?.type !== "commonjs") throw await withPlace(error, url);
    // `npm init` writes this type, with which Node takes no file for a module that does not say so by its name.
    throw new Error(`${manifest.path} has the type "commonjs": set it to "module", or let the file's name end with .mts or .mjs`, {
      cause: error,
    });
  }
}

/** The nearest package.json above a file; undefined if there is none, or it cannot be read. */
function manifestAbove(file: string): { readonly path: string; readonly type: unknown } | undefined {
  for (let folder = dirname(file);; folder = dirname(folder)) {
    const path = join(folder, "package.json");
    try {
      return { path, type: JSON.parse(readFileSync(path, "utf8")).type };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT") || dirname(folder) === folder) return undefined;
    }
  }
}
