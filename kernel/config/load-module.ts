import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Loads a plugin module. Paths are relative to the working directory; other words are packages. */
export function loadModule(specifier: string): Promise<Readonly<Record<string, unknown>>> {
  const isPath = specifier.startsWith(".") || isAbsolute(specifier);
  return import(isPath ? pathToFileURL(resolve(specifier)).href : specifier);
}
