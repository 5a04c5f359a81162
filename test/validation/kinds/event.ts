import { type Case, type Change, type KindRules, partly, type Rule, rule } from "../rule.ts";

const both = "create+update";
/** Not a namespace for events about cluster-scoped objects. */
const namespace = "kube-public";
const time = "2024-01-02T03:04:05.000001Z";
const long = (field: string): Change => ({ [field]: "x".repeat(129) });

/** The two APIs' names for the parts of an event. */
interface Words {
  readonly about: string;
  readonly controller: string;
  readonly note: string;
}

function of(at: string, reason: Case["reason"], broken: Change, held?: Change): Case {
  return held === undefined ? { at, reason, broken } : { at, reason, broken, held };
}

/** The rules of both APIs, in order; `told` is a complete event with a time. */
function commonRules({ about, controller, note }: Words, told: Change): readonly Rule[] {
  const word = (field: string): Rule =>
    rule(
      [field, both, "Required / Invalid", "eventTime set: non-empty, <= 128 chars"],
      of(field, "Required", { ...told, [field]: null }, told),
      of(field, "Invalid", { ...told, ...long(field) }, { ...told, [field]: "x".repeat(128) }),
    );
  return [
    rule(
      [
        "involvedObject.namespace",
        both,
        "Invalid",
        "eventTime unset: empty only in default namespace or none, else equal to event namespace",
      ],
      of("involvedObject.namespace", "Invalid", { eventTime: null, [about]: { namespace: "other" } }),
      of("involvedObject.namespace", "Invalid", { eventTime: null, [about]: { namespace: null } }),
    ),
    rule(
      ["involvedObject.namespace", both, "Invalid", "eventTime set: empty only in default or kube-system"],
      of("involvedObject.namespace", "Invalid", { ...told, [about]: { namespace: null } }, told),
    ),
    rule(
      [controller, both, "Required / Invalid", "eventTime set: non-empty, qualifiedName"],
      of(controller, "Required", { ...told, [controller]: "" }, told),
      of(controller, "Invalid", { ...told, [controller]: "a b" }, told),
    ),
    word("reportingInstance"),
    word("action"),
    word("reason"),
    rule(
      ["message", both, "Invalid", "eventTime set: <= 1024 chars"],
      of("message", "Invalid", { ...told, [note]: "x".repeat(1025) }, { ...told, [note]: "x".repeat(1024) }),
    ),
    partly(["namespace", both, "Invalid", "dns1123Subdomain"], { all: "there is no namespace with such a name" }),
  ];
}

const core: Words = { about: "involvedObject", controller: "reportingComponent", note: "message" };
const coreTold = {
  eventTime: time,
  reportingComponent: "example.com/tests",
  reportingInstance: "one",
  action: "Tried",
  reason: "Because",
};

export const coreEvent: KindRules = {
  kind: "v1/Event",
  path: `/api/v1/namespaces/${namespace}/events`,
  valid: { involvedObject: { namespace } },
  rules: commonRules(core, coreTold),
};

const events: Words = { about: "regarding", controller: "reportingController", note: "note" };
const valid = {
  eventTime: time,
  reportingController: "example.com/tests",
  reportingInstance: "one",
  action: "Tried",
  reason: "Because",
  type: "Normal",
  regarding: { namespace },
};
const series = { count: 2, lastObservedTime: time };
const touched = { metadata: { labels: { touched: "yes" } } };

/** Paths of the core API. */
const changes: readonly (readonly [at: string, change: Change])[] = [
  ["involvedObject", { regarding: { name: "other" } }],
  ["reason", { reason: "Other" }],
  ["message", { note: "other" }],
  ["source", { deprecatedSource: { component: "other" } }],
  ["firstTimestamp", { deprecatedFirstTimestamp: "2024-01-02T03:04:05Z" }],
  ["lastTimestamp", { deprecatedLastTimestamp: "2024-01-02T03:04:05Z" }],
  ["count", { deprecatedCount: 1 }],
  ["type", { type: "Warning" }],
  ["eventTime", { eventTime: "2024-01-02T03:04:05.000002Z" }],
  ["action", { action: "Other" }],
  ["related", { related: { name: "other" } }],
  ["reportingController", { reportingController: "example.com/other" }],
  ["reportingInstance", { reportingInstance: "other" }],
];

export const event: KindRules = {
  kind: "events.k8s.io/v1/Event",
  path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
  valid,
  rules: [
    ...commonRules(events, {}),
    rule(["eventTime", "create", "Required", "set"], of("eventTime", "Required", { eventTime: null })),
    rule(["type", "create", "Invalid", "Normal or Warning"], of("type", "Invalid", { type: "Strange" }, { type: "Warning" })),
    rule(
      ["firstTimestamp", "create", "Invalid", "unset (path uses core names)"],
      of("firstTimestamp", "Invalid", { deprecatedFirstTimestamp: "2024-01-02T03:04:05Z" }),
    ),
    rule(
      ["lastTimestamp", "create", "Invalid", "unset"],
      of("lastTimestamp", "Invalid", { deprecatedLastTimestamp: "2024-01-02T03:04:05Z" }),
    ),
    rule(["count", "create", "Invalid", "0"], of("count", "Invalid", { deprecatedCount: 1 }, { deprecatedCount: 0 })),
    rule(
      ["source", "create", "Invalid", "component and host empty"],
      of("source", "Invalid", { deprecatedSource: { component: "a" } }),
      of("source", "Invalid", { deprecatedSource: { host: "a" } }),
    ),
    rule(
      ["series.count", both, "Invalid", ">= 2 (checked on update only if series changed)"],
      of("series.count", "Invalid", { series: { ...series, count: 1 } }, { series }),
    ),
    rule(
      ["series.lastObservedTime", both, "Required", "set"],
      of("series.lastObservedTime", "Required", { series: { ...series, lastObservedTime: null } }, { series }),
    ),
    rule(
      [
        "involvedObject, reason, message, source, firstTimestamp, lastTimestamp, count, type, eventTime (to microsecond), action, related, reportingController, reportingInstance",
        "update",
        "Invalid",
        "immutable (core field names in path)",
      ],
      ...changes.map(([at, change]) => of(at, "Invalid", change, touched)),
    ),
  ],
};
