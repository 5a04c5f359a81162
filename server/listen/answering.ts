/** A request in progress. */
export interface Answering {
  /** Since when its client has read nothing (performance.now()); undefined while nothing waits to be read. */
  waitsSince: number | undefined;
  /** Whether the request was received to its end. */
  readonly isWhole: boolean;
  /** Ends the response so that the client detects the failure. */
  breakOff(): void;
}
