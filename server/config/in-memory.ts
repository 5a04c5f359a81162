/** The data folder of a server that keeps nothing. */
export const inMemory = ":memory:";

/** Whether nothing is written to disk. */
export function isInMemory(config: { readonly "data-dir": string }): boolean {
  return config["data-dir"] === inMemory;
}
