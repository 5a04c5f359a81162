/** Events of watches that a test holds back. */
import type { Revision } from "../../kernel/store/store.ts";

/** An event that a watch would have got. */
export interface HeldEvent {
  /** What happened to the object, as the watch sees it. */
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The namespace of the object; "" if it has none. */
  readonly namespace: string;
  /** The name of the object. */
  readonly name: string;
  /** The revision of the change. */
  readonly resourceVersion: string;
  /** The number of the watch, in the order in which they began. An order cannot move events from one watch to another. */
  readonly watch: number;
}

/** The order in which events are delivered. Those that it leaves out stay held. */
export type EventOrder = (events: readonly HeldEvent[]) => readonly HeldEvent[];

/** Watches whose events are held. Events of changes before the hold are not. */
export interface HeldWatches {
  /** The events that are held now, of all watches, in the order in which they were made. */
  readonly events: readonly HeldEvent[];
  /** Delivers events that are held. Later ones are held on. Default: all, in their order. */
  flush(order?: EventOrder): void;
  /** Delivers what is held, and holds no more. */
  release(): void;
}

/** One event with its bytes. */
export interface HeldFrame {
  readonly event: HeldEvent;
  readonly revision: Revision;
  readonly bytes: Uint8Array;
}
