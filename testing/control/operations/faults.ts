/** Operations on the faults of a server. */
import type { StructuralSchema } from "../../../core/structural-schema.ts";
import { statusCodes } from "../../../core/status-error.ts";
import type { HeldEvent } from "../../faults/held-events.ts";
import type { FaultEffect, FaultRule, RequestMatch, RequestVerb, WatchEnd } from "../../faults/rule.ts";
import type { StoreFault } from "../../faults/store-faults.ts";
import { checked, invalidRequest, operation, wholeBody } from "../operation.ts";
import { anyText, duration, identity, integer, listOf, nothing, object, text, whole } from "../schemas.ts";

/** Effects of one chaos. Events that one flush names. */
const effectsMax = 100, flushedMax = 100_000;

const verbs: readonly RequestVerb[] = ["get", "list", "watch", "create", "update", "patch", "apply", "delete", "deletecollection"];
const storeFaults = ["etcd down", "etcd full", "file failing", "disk full"] as const;
const watchEnds: readonly WatchEnd[] = ["expired", "closed", "half an event"];

/** The requests that a rule concerns, without their verbs. */
const matchOfWatches: Readonly<Record<string, StructuralSchema>> = {
  user: text("The name of the user."),
  resource: text("`widgets`, `widgets.example.com`, `widgets/status`, or `widgets/*` for the resource with all of its subresources."),
  namespace: text("The namespace in the path."),
  name: text("The name in the path. A create has none."),
};
const match: Readonly<Record<string, StructuralSchema>> = {
  ...matchOfWatches,
  verbs: listOf(
    { type: "string", enum: verbs },
    "The verbs. `apply` is a patch of server-side apply, which is a `patch`, too. Default: all.",
    {
      minItems: 1,
      maxItems: verbs.length,
    },
  ),
};
const effect: Readonly<Record<string, StructuralSchema>> = {
  delay: duration("The request waits so long, by the clock of the server. It can be combined with another effect."),
  answer: object(
    {
      code: integer("The HTTP code.", { minimum: 400, maximum: 599 }),
      reason: text("The reason for programs, such as `Conflict`.", { enum: Object.keys(statusCodes) }),
      message: text("The text for people.", { maxLength: 10_000 }),
      retryAfterSeconds: integer("Seconds in the header Retry-After and in the details.", { minimum: 0, maximum: 86_400 }),
    },
    [],
    "The answer in place of the request. Either of code and reason gives the other.",
  ),
  drop: text("The connection breaks before the request has done anything, or after it was done.", { enum: ["before", "after"] }),
  lag: text("Gets and lists see a state of so long ago (a duration of Go), or `frozen`: the state when the rule was added."),
  endWatch: object(
    {
      how: text("With a 410, in time, or within an event.", { enum: watchEnds }),
      afterEvents: integer("Events that the client gets before. Default: 0.", { minimum: 0, maximum: 1_000_000 }),
    },
    ["how"],
    "How watches end.",
  ),
};

/** A match as bodies have it. */
type Match = Omit<RequestMatch, "verb"> & { readonly verbs?: readonly RequestVerb[] };
const matchOf = <M extends Match>({ verbs, ...rest }: M) => ({ ...rest, ...(verbs === undefined ? {} : { verb: verbs }) });

const heldEvent = whole({
  type: anyText("ADDED, MODIFIED or DELETED."),
  namespace: anyText("The namespace; empty if it has none."),
  name: anyText("The name."),
  resourceVersion: anyText("The revision of the change."),
  watch: integer("The number of the watch."),
});
const held = whole({ events: listOf(heldEvent, "The events that are held now, in the order of their changes.") });

const rules = [
  operation<Match & Omit<FaultRule, keyof RequestMatch>>({
    name: "addFault",
    method: "POST",
    path: "faults/rules",
    summary: "Adds a rule: which requests meet which fault. Of several rules that match, the first that is due has effect.",
    body: object({
      ...match,
      ...effect,
      nth: integer("Only the n-th request that matches, from 1 on.", { minimum: 1, maximum: 1_000_000_000 }),
      times: integer("At most so many requests. Default: 1 with `nth`, else all.", { minimum: 1, maximum: 1_000_000_000 }),
    }),
    code: 201,
    answer: identity,
    run({ server, rules }, { body }) {
      rules.checkRoom();
      return { id: rules.add(checked(wholeBody, () => server.faults.add(matchOf(body)))) };
    },
  }),
  operation<Match & { readonly seed: number; readonly rate?: number; readonly effects?: readonly FaultEffect[] }>({
    name: "addChaos",
    method: "POST",
    path: "faults/chaos",
    summary: "Adds faults at random, as a rule. The same seed and the same requests give the same faults.",
    body: object({
      ...match,
      seed: integer("The seed.", { minimum: 0, maximum: 4_294_967_295 }),
      rate: { type: "number", description: "Share of the requests that meet a fault. Default: 0.1.", minimum: 0, maximum: 1 },
      effects: listOf(object(effect), "The effects, of which one is chosen. Default: the usual ones.", {
        minItems: 1,
        maxItems: effectsMax,
      }),
    }, ["seed"]),
    code: 201,
    answer: identity,
    run({ server, rules }, { body: { seed, ...options } }) {
      rules.checkRoom();
      return { id: rules.add(checked(wholeBody, () => server.faults.chaos(seed, matchOf(options)))) };
    },
  }),
  operation<{ readonly fault: Extract<StoreFault, string> | "slow"; readonly by?: string; readonly lasts?: string }>({
    name: "addStoreFault",
    method: "POST",
    path: "faults/store",
    summary: "Adds a fault of the whole store, as a rule. It concerns requests, controllers, elections and health checks.",
    body: object({
      fault: text("What is wrong.", { enum: [...storeFaults, "slow"] }),
      by: duration("With `slow`: each call takes so much longer."),
      lasts: duration("The time after which it is over. Default: until it is removed."),
    }, ["fault"]),
    code: 201,
    answer: identity,
    run({ server, rules }, { body: { fault, by, lasts } }) {
      if ((fault === "slow") !== (by !== undefined)) {
        throw invalidRequest([{ type: "Invalid", path: "by", value: by, detail: "it belongs to the fault slow" }]);
      }
      rules.checkRoom();
      const store = fault === "slow" ? { slow: by! } : fault;
      return { id: rules.add(checked(wholeBody, () => server.faults.add({ store, ...(lasts === undefined ? {} : { lasts }) }))) };
    },
  }),
  operation({
    name: "listFaults",
    method: "GET",
    path: "faults/rules",
    summary: "Lists the rules, with the number of requests that each had an effect on.",
    answer: whole({
      rules: listOf(whole({ id: anyText("The name of the rule."), hits: integer("Requests that met it.") }), "The oldest first."),
    }),
    run: ({ rules }) => ({ rules: rules.all().map(([id, { hits }]) => ({ id, hits })) }),
  }),
  operation({
    name: "removeFault",
    method: "DELETE",
    path: "faults/rules/{id}",
    summary: "Removes a rule.",
    answer: nothing,
    run({ rules }, { id }) {
      rules.take(id).remove();
      return {};
    },
  }),
  operation({
    name: "listInjected",
    method: "GET",
    path: "faults/injected",
    summary: "Lists what was injected so far.",
    answer: whole({
      injected: listOf(
        whole({
          time: anyText("The time of the server."),
          user: anyText("The name of the user."),
          verb: anyText("What the request wanted to do."),
          path: anyText("The path without its query."),
          fault: anyText("What happened to it: `answered with 409 Conflict`."),
        }),
        "The oldest first.",
      ),
    }),
    run: ({ server }) => ({ injected: server.faults.injected }),
  }),
  operation({
    name: "clearFaults",
    method: "DELETE",
    path: "faults",
    summary: "Removes all rules and releases all events. The list of what was injected stays.",
    answer: nothing,
    run({ server, rules, holds }) {
      server.faults.clear();
      rules.takeAll();
      holds.takeAll();
      return {};
    },
  }),
];

const watches = [
  operation<Match & { readonly how: WatchEnd }>({
    name: "endWatches",
    method: "POST",
    path: "faults/end-watches",
    summary: "Ends the open watches that match. Half of an event is sent with the next one.",
    body: object({ ...matchOfWatches, how: text("With a 410, in time, or within an event.", { enum: watchEnds }) }, ["how"]),
    answer: whole({ ended: integer("The number of watches.") }),
    run: ({ server }, { body: { how, ...match } }) => ({ ended: server.faults.endWatches(how, match) }),
  }),
  operation<Match>({
    name: "holdEvents",
    method: "POST",
    path: "faults/holds",
    summary: "Holds the events of the watches that match until they are flushed. Those that are open are included.",
    body: object(matchOfWatches),
    code: 201,
    answer: identity,
    run({ server, holds }, { body }) {
      holds.checkRoom();
      return { id: holds.add(server.faults.hold(body)) };
    },
  }),
  operation({
    name: "listHeldEvents",
    method: "GET",
    path: "faults/holds/{id}",
    summary: "Lists the events that are held now.",
    answer: held,
    run: ({ holds }, { id }) => ({ events: holds.get(id).events }),
  }),
  operation<{ readonly events?: readonly Pick<HeldEvent, "watch" | "resourceVersion">[] }>({
    name: "flushEvents",
    method: "POST",
    path: "faults/holds/{id}/flush",
    summary: "Delivers events that are held, in the given order. Later ones are held on. Answers with those that stay held.",
    body: object({
      events: listOf(
        object({ ...heldEvent.properties, watch: integer("The number of the watch."), resourceVersion: text("The revision.") }, [
          "watch",
          "resourceVersion",
        ]),
        "The events to deliver, as they were listed: `watch` and `resourceVersion` are enough. Default: all, in their order.",
        { maxItems: flushedMax },
      ),
    }),
    answer: held,
    run({ holds }, { id, body: { events: wanted } }) {
      const hold = holds.get(id);
      if (wanted === undefined) hold.flush();
      else {
        const keyOf = ({ watch, resourceVersion }: Pick<HeldEvent, "watch" | "resourceVersion">) => `${watch} ${resourceVersion}`;
        const known = new Map(hold.events.map((event) => [keyOf(event), event]));
        hold.flush(() => wanted.flatMap((each) => known.get(keyOf(each)) ?? []));
      }
      return { events: hold.events };
    },
  }),
  operation({
    name: "releaseEvents",
    method: "DELETE",
    path: "faults/holds/{id}",
    summary: "Delivers what is held, and holds no more.",
    answer: nothing,
    run({ holds }, { id }) {
      holds.take(id).release();
      return {};
    },
  }),
];

/** Faults: rules, and what happens to watches. */
export const faultOperations = [...rules, ...watches];
