/**
 * Returns the URL of a module that is loaded by its address, such as the module of a worker, beside the module with the URL `of`.
 * It has the extension of that module: `.ts` in the repository, `.js` in the package, where both are compiled.
 *
 * @param of `import.meta.url` of the caller
 * @param name the file name without its extension
 */
export function siblingModule(of: string, name: string): URL {
  const { pathname } = new URL(of);
  return new URL(`./${name}${pathname.slice(pathname.lastIndexOf("."))}`, of);
}
