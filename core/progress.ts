/** Progress of long work, for the operator who waits for it: a line on a terminal, elsewhere lines of the log. Short work shows nothing. */
export interface Progress {
  /** Counts objects that are done. `left`: the number of those that are not, if it is known. */
  done(objects: number, left?: number): void;
  /** Once, after success or failure. */
  end(): void;
}
/** Begins to show the progress of work with this name, such as `filling the watch cache`. */
export type BeginProgress = (what: string) => Progress;
