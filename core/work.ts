/** What background work reports about its queue. */

/** Counts items of one queue, for metrics. An item is identified by its name; an item that is reported twice counts once. */
export interface WorkMeter {
  /** The item waits for its turn from now on. */
  added(item: string): void;
  /** Work on it begins. */
  started(item: string): void;
  /** Work on it is over; `again` where it comes back after a pause. */
  done(item: string, again?: boolean): void;
  /** It is no longer wanted, and was not begun. */
  forgotten(item: string): void;
}

/** Work on one item at once, measured where there is a meter. */
export async function worked<T>(meter: WorkMeter | undefined, item: string, run: () => Promise<T>): Promise<T> {
  meter?.added(item);
  meter?.started(item);
  try {
    return await run();
  } finally {
    meter?.done(item);
  }
}
