/** Metrics of the work queue of a controller. */

/** Counts items of one queue, for metrics. An item is identified by its name; an item that is reported twice counts once. */
export interface WorkMeter {
  /** The item was added to the queue. */
  added(item: string): void;
  /** Work on the item begins. */
  started(item: string): void;
  /** Work on the item has ended. `again`: it is retried after a pause. */
  done(item: string, again?: boolean): void;
  /** The item was removed before work on it began. */
  forgotten(item: string): void;
}

/** A meter that counts nothing. */
export const noWorkMeter: WorkMeter = Object.freeze({ added() {}, started() {}, done() {}, forgotten() {} });

/** Runs work on one item and reports it to the meter. */
export async function measureWork<T>(meter: WorkMeter, item: string, run: () => Promise<T>): Promise<T> {
  meter.added(item);
  meter.started(item);
  try {
    return await run();
  } finally {
    meter.done(item);
  }
}
