import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isPath } from "./choose-plugins.ts";

/** Loads a plugin module. Paths are relative to the working directory; other words are packages. */
export async function loadModule(specifier: string): Promise<Readonly<Record<string, unknown>>> {
  if (!isPath(specifier)) return await import(specifier);
  const path = resolve(specifier);
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    const manifest = error instanceof SyntaxError ? manifestAbove(path) : undefined;
    if (manifest?.type !== "commonjs") throw error;
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
