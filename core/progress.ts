/**
 * Shows the progress of long work to the operator who waits for it: as a line on a terminal, elsewhere as lines of the log. Short work
 * shows nothing.
 */
export interface Progress {
  /** Counts objects that are done. `left` is the number of those that are not, if it is known. */
  done(objects: number, left?: number): void;
  /** Ends the display. Call it once, after success or failure. */
  end(): void;
}
/** Begins to show the progress of work. `what` is its name, such as `filling the watch cache`. */
export type BeginProgress = (what: string) => Progress;
