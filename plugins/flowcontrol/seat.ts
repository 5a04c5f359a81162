/** The place of one request, and what the tables show of it. */
import type { StatusError } from "../../plugin.ts";
import type { FlowRequest, Place } from "../../toolbox.ts";
import type { Shown } from "./dump.ts";
import type { Ticket } from "./fair-queue.ts";
import type { Schema } from "./level.ts";

type Release = (seat: Seat, ticket: Ticket<Seat>, isWatch: boolean) => void;

export class Seat implements Place, Shown {
  readonly schema: Schema<Seat>;
  readonly request: FlowRequest;
  readonly #release: Release;
  refusal?: StatusError;
  ticket: Ticket<Seat> | undefined;
  /** Called when a request that waited has its seats. */
  granted: () => void = nothing;
  /** Whether the request has been let go. */
  hasBegun = false;

  /** `release` is called once, for a request that has begun. */
  constructor(schema: Schema<Seat>, request: FlowRequest, release: Release) {
    this.schema = schema;
    this.request = request;
    this.#release = release;
  }

  get schemaName(): string {
    return this.schema.object.metadata.name ?? "";
  }
  get userName(): string {
    return this.request.user.name;
  }
  get attributes(): FlowRequest["attributes"] {
    return this.request.attributes;
  }
  get headers(): Readonly<Record<string, string>> {
    return this.schema.headers;
  }

  begun(): void {
    this.#end(true);
  }
  [Symbol.dispose](): void {
    this.#end(false);
  }
  #end(isWatch: boolean): void {
    const { ticket } = this;
    this.ticket = undefined;
    if (ticket !== undefined && this.hasBegun) this.#release(this, ticket, isWatch);
  }
}
const nothing = () => {};
