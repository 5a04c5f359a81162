/**
 * Records events about objects through the API, and joins repeated ones to a series. Source: the recorder of client-go's `tools/events`
 * (KEP-383):
 *
 *     first ──> created            same key again within 6 minutes: the event becomes a series with count 2, which is written at once;
 *                 │                further ones are counted, and the count is written after 30 minutes and at the end of the series
 *                 └──> series ──> 6 minutes without another: the last count is written, and the series ends
 *
 * The key consists of all fields except the note and the times. Unlike client-go's it omits the object's resourceVersion: otherwise each
 * write of the object would start a new series.
 */
import { type Clock, pause } from "../../core/async.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { dns1123Subdomain } from "../../core/meta/names.ts";
import type { Api } from "../../core/api.ts";
import type { EventNews, EventRecorder } from "../../core/controller.ts";
import { StatusError } from "../../core/status-error.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";

/** Events of one controller that wait to be written (as client-go). */
export const eventsWaitingMax = bound(1000);
/** Events of one controller that can become a series. */
export const eventSeriesMax = bound(4096);

/** The dependencies of a recorder. */
export interface EventRecorderOptions {
  readonly api: Pick<Api, "create" | "patch">;
  /** The controller's name: `reportingController` of its events. */
  readonly controller: string;
  /** The machine's name, part of `reportingInstance`. */
  readonly host: string;
  readonly clock: Clock;
  /** A number from 0 to 1, for the pauses between attempts. */
  readonly random: () => number;
  /** Ends the recorder; events that are not yet written are lost. */
  readonly signal: AbortSignal;
  /** Called with an event that is not recorded. */
  readonly failed: (sentence: string, error?: unknown) => void;
}

export const eventsVersion = "events.{domain}/v1";
const plural = "events";
/** Milliseconds without a new occurrence after which a series ends. */
const finishMs = 6 * 60_000;
/** Milliseconds after which a continuing series is written again. */
const refreshMs = 30 * 60_000;
const triesMax = 12, retryMs = 10_000, retryJitter = 0.25;
const noteBytesMax = 1024, instanceLengthMax = 128;

/** A recent event. Times are in milliseconds since 1970. */
interface Recent {
  readonly event: ApiObject;
  /** Occurrences; 1 for an event that is not a series. */
  count: number;
  lastAt: number;
  /** Count and time of the last write. */
  writtenCount: number;
  writtenAt: number;
}

/** Opens a recorder, which writes events in the background and in order. */
export function eventRecorder(options: EventRecorderOptions): EventRecorder {
  return new Recorder(options);
}

class Recorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  /** By key, the oldest first. */
  readonly #recent = new Map<string, Recent>();
  /** Pending writes, each one request. */
  readonly #waiting: (() => Promise<unknown>)[] = [];
  #writing = false;
  #isFull = false;
  #sweeping = false;
  #made = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  record(object: ApiObject, news: EventNews): void {
    const { clock, signal } = this.#options;
    if (signal.aborted) return;
    const now = clock.now(), key = valueText(this.#keyOf(object, news));
    const recent = this.#recent.get(key);
    if (recent === undefined || now - recent.lastAt > finishMs) {
      if (recent !== undefined) this.#finish(key, recent);
      return this.#begin(key, object, news, now);
    }
    recent.count++;
    recent.lastAt = now;
    if (recent.count === 2) this.#writeSeries(recent, now);
  }

  #begin(key: string, object: ApiObject, news: EventNews, now: number): void {
    const oldest = this.#recent.keys().next();
    if (this.#recent.size >= eventSeriesMax && oldest.done !== true) this.#finish(oldest.value, this.#recent.get(oldest.value)!);
    const event = this.#eventOf(object, news, now);
    this.#recent.set(key, { event, count: 1, lastAt: now, writtenCount: 1, writtenAt: now });
    this.#send(() => this.#create(event));
    this.#sweepLater();
  }

  /** Writes the final count of a series if it changed, and removes the series. */
  #finish(key: string, recent: Recent): void {
    this.#recent.delete(key);
    if (recent.count > recent.writtenCount) this.#writeSeries(recent, this.#options.clock.now());
  }

  #writeSeries(recent: Recent, now: number): void {
    const { event } = recent, series = { count: recent.count, lastObservedTime: microTime(recent.lastAt) };
    recent.writtenCount = recent.count;
    recent.writtenAt = now;
    this.#send(async () => {
      const { name = "", namespace = "" } = event.metadata;
      try {
        await this.#options.api.patch(eventsVersion, plural, namespace, name, { merge: { series } });
      } catch (error) {
        if (!(error instanceof StatusError && error.reason === "NotFound")) throw error;
        await this.#create({ ...event, series } as ApiObject); // Its time to live has ended, or the first write failed.
      }
    });
  }

  #create(event: ApiObject): Promise<unknown> {
    return this.#options.api.create(eventsVersion, plural, event.metadata.namespace ?? "", event);
  }

  /** Checks all series every six minutes while there are any. */
  #sweepLater(): void {
    const { clock, signal } = this.#options;
    if (this.#sweeping || signal.aborted) return;
    this.#sweeping = true;
    const cancel = clock.after(finishMs, () => {
      signal.removeEventListener("abort", cancel);
      this.#sweeping = false;
      this.#sweep(clock.now());
    });
    signal.addEventListener("abort", cancel, { once: true });
  }
  #sweep(now: number): void {
    for (const [key, recent] of [...this.#recent]) {
      if (now - recent.lastAt > finishMs) this.#finish(key, recent);
      else if (recent.count > recent.writtenCount && now - recent.writtenAt >= refreshMs) this.#writeSeries(recent, now);
    }
    if (this.#recent.size > 0) this.#sweepLater();
  }

  #send(write: () => Promise<unknown>): void {
    if (this.#waiting.length >= eventsWaitingMax) {
      if (!this.#isFull) this.#options.failed(`events are lost: ${eventsWaitingMax} are waiting to be written`);
      this.#isFull = true;
      return;
    }
    this.#isFull = false;
    this.#waiting.push(write);
    if (!this.#writing) void this.#writeAll();
  }
  async #writeAll(): Promise<void> {
    this.#writing = true;
    for (let write = this.#waiting.shift(); write !== undefined; write = this.#waiting.shift()) await this.#write(write);
    this.#writing = false;
  }
  /** Never rejects. An event that cannot be written for the moment delays the following ones. */
  async #write(write: () => Promise<unknown>): Promise<void> {
    const { clock, random, signal, failed } = this.#options;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        return void await write();
      } catch (error) {
        if (signal.aborted) return;
        if (!isTransient(error) || tries >= triesMax) return failed("an event cannot be recorded", error);
        await pause(retryMs * (1 + retryJitter * random()), signal, clock);
      }
    }
  }

  #keyOf(object: ApiObject, { type, reason, action, related, controller = "" }: EventNews): unknown {
    const { resourceVersion: _, ...regarding } = referenceOf(object);
    return [type, reason, action, controller, regarding, related === undefined ? null : referenceOf(related)];
  }

  #eventOf(object: ApiObject, news: EventNews, now: number): ApiObject {
    const { type, reason, action, note, related, controller = this.#options.controller } = news;
    const { host } = this.#options, { namespace = "default", name = "" } = object.metadata;
    const event = {
      kind: "Event",
      metadata: { namespace, name: this.#nameOf(name, now) },
      eventTime: microTime(now),
      reportingController: controller,
      reportingInstance: `${controller}-${host}`.slice(0, instanceLengthMax),
      action,
      reason,
      regarding: referenceOf(object),
      ...(related === undefined ? {} : { related: referenceOf(related) }),
      note: shorten(note),
      type,
    };
    return event as unknown as ApiObject; // `as`: the API adds apiVersion and checks the rest.
  }

  /** As in client-go: the object's name and a time in nanoseconds, of which the last digits count the events of this recorder. */
  #nameOf(name: string, now: number): string {
    this.#made = (this.#made + 1) % 1_000_000;
    const made = `${name}.${(BigInt(Math.floor(now)) * 1_000_000n + BigInt(this.#made)).toString(16)}`;
    return dns1123Subdomain(made).length === 0 ? made : crypto.randomUUID();
  }
}

function referenceOf({ kind, apiVersion, metadata: { namespace, name, uid, resourceVersion } }: ApiObject) {
  return {
    kind,
    apiVersion,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** RFC 3339 in UTC with microseconds. */
function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}

/** At most 1024 bytes of UTF-8, the API's bound. */
function shorten(note: string): string {
  return note.slice(0, new TextEncoder().encodeInto(note, new Uint8Array(noteBytesMax)).read);
}

/** Whether the same request may succeed later. An error that is not a StatusError is a bug. */
function isTransient(error: unknown): boolean {
  return error instanceof StatusError && ["TooManyRequests", "ServerTimeout", "Timeout", "ServiceUnavailable"].includes(error.reason);
}
