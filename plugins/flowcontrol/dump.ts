/** The texts at /debug/api_priority_and_fairness/: tables with kube-apiserver's columns. */
import type { AuthorizationAttributes } from "../../toolbox.ts";
import { type FairQueue, guessedSeconds, type Queue, type Ticket } from "./fair-queue.ts";

/** What the tables show of a request. */
export interface Shown {
  readonly schemaName: string;
  readonly userName: string;
  readonly attributes: AuthorizationAttributes;
}
interface Level {
  readonly name: string;
  readonly isEnding: boolean;
  readonly queue: Omit<FairQueue<Shown>, "enter" | "end" | "leave" | "configure">;
}
type Levels = Iterable<Level>;

const prefix = "/debug/api_priority_and_fairness/";
/** Lines of a table. */
const linesMax = 10_000;

/** `epoch` is the time of the clock of tickets at 0, in milliseconds since 1970. */
export function dumpOf(path: string, query: { first(name: string): string }, levels: Levels, epoch: number): string | undefined {
  if (path === `${prefix}dump_priority_levels`) return dumpLevels(levels);
  if (path === `${prefix}dump_queues`) return dumpQueues(levels);
  if (path === `${prefix}dump_requests`) return dumpRequests(levels, query.first("includeRequestDetails") !== "", epoch);
  return undefined;
}

/** Aligns columns as Go's tabwriter does: each column is as wide as its longest cell. */
function table(rows: Iterable<readonly (string | number | boolean)[]>): string {
  const cells: string[][] = [];
  for (const row of rows) {
    if (cells.length > linesMax) break;
    cells.push(row.map((cell, index) => index < row.length - 1 ? `${cell},` : `${cell}`));
  }
  const widths = (cells[0] ?? []).map((_, column) => cells.reduce((most, row) => Math.max(most, row[column]!.length + 1), 8)); // all rows are equally long
  return cells.map((row) => row.map((cell, index) => index < row.length - 1 ? cell.padEnd(widths[index]!) : cell).join("") + "\n").join("");
}

function byName(levels: Levels): readonly Level[] {
  return [...levels].toSorted((a, b) => a.name < b.name ? -1 : 1);
}

function dumpLevels(levels: Levels): string {
  return table([
    [
      "PriorityLevelName",
      "ActiveQueues",
      "IsIdle",
      "IsQuiescing",
      "WaitingRequests",
      "ExecutingRequests",
      "DispatchedRequests",
      "RejectedRequests",
      "TimedoutRequests",
      "CancelledRequests",
    ],
    ...byName(levels).map(({ name, queue, isEnding }) => {
      const active = queue.queues().filter(({ waiting }) => waiting.length > 0).length;
      const { dispatched, rejected, timedOut, cancelled } = queue.counts;
      return [name, active, queue.isIdle, isEnding, queue.waiting, queue.running, dispatched, rejected, timedOut, cancelled];
    }),
  ]);
}

function inOrder(level: Level): readonly Queue<Shown>[] {
  return level.queue.queues().toSorted((a, b) => a.index - b.index);
}

/** A line for each queue that has requests. */
function dumpQueues(levels: Levels): string {
  const seats = (value: number) => `${value.toFixed(8)}ss`;
  return table([
    [
      "PriorityLevelName",
      "Index",
      "PendingRequests",
      "ExecutingRequests",
      "SeatsInUse",
      "NextDispatchR",
      "InitialSeatsSum",
      "MaxSeatsSum",
      "TotalWorkSum",
    ],
    ...byName(levels).flatMap((level) =>
      inOrder(level).map(({ index, waiting, running, waitingSeats, runningSeats, next }) => {
        const work = seats(waitingSeats * guessedSeconds);
        return [level.name, index, waiting.length, running.size, runningSeats, seats(next), waitingSeats, waitingSeats, work];
      })
    ),
  ]);
}

const headers = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  "FlowDistingsher", // upstream's spelling
  "ArriveTime",
  "InitialSeats",
  "FinalSeats",
  "AdditionalLatency",
  "StartTime",
];
const details = ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"];

function dumpRequests(levels: Levels, hasDetails: boolean, epoch: number): string {
  const time = (seconds: number) => new Date(epoch + seconds * 1000).toISOString();
  const row = (level: string, queue: number, index: number, { of, seats, flow, arrived, begun, state }: Ticket<Shown>) => [
    level,
    of.schemaName,
    queue,
    index,
    flow.slice(of.schemaName.length + 1),
    time(arrived),
    seats,
    0,
    "0s",
    state === "waiting" ? "0001-01-01T00:00:00Z" : time(begun),
    ...(hasDetails ? detailsOf(of) : []),
  ];
  return table([
    hasDetails ? [...headers, ...details] : headers,
    ...byName(levels).flatMap((level) => [
      ...inOrder(level).flatMap(({ index, waiting, running }) => [
        ...waiting.map((ticket, place) => row(level.name, index, place, ticket)),
        ...running.all().map((ticket) => row(level.name, index, -1, ticket)),
      ]),
      ...level.queue.loose().map((ticket) => row(level.name, -1, -1, ticket)),
    ]),
  ]);
}

function detailsOf({ userName, attributes: { verb, path, namespace, name, group, version, resource, subresource } }: Shown) {
  return [userName, verb, path, namespace, name, group === "" ? version : `${group}/${version}`, resource, subresource];
}
