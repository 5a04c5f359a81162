import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isPath } from "./choose-plugins.ts";

/** Loads a plugin module. Paths are relative to the working directory; other words are packages. */
export function loadModule(specifier: string): Promise<Readonly<Record<string, unknown>>> {
  return import(isPath(specifier) ? pathToFileURL(resolve(specifier)).href : specifier);
}
