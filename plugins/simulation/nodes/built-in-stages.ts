/** What the built-in life of nodes and pods asks about Stages. */

/** The Stages, as far as they replace what is built in. */
export interface BuiltInStages {
  /** Whether the built-in life leaves an object alone. `builtIn`: the name of the stage that does the same in kwok. */
  replaces(kind: "Pod" | "Node", builtIn: string, object: object): boolean;
  /** Calls `listener` after each change of the Stages. */
  listen(listener: () => void): void;
}
