/** The history of an object, for people and for programs. */
import { bound } from "../../core/bound.ts";
import type { JsonObject } from "../../core/json.ts";
import { printable } from "../../core/printable.ts";
import type { ShownVersion } from "./shown-versions.ts";

/** Versions of one object that `thole history` prints, the newest ones. Older ones are counted. */
export const versionsShownMax = bound(500);
/** Characters of a line that `thole history` prints. */
const lineCharactersMax = bound(500);

/** What the history is of. */
export interface HistoryOf {
  /** `deployments.apps`. */
  readonly resource: string;
  /** Empty for an object without one. */
  readonly namespace: string;
  readonly name: string;
  /** The revisions that the store has. */
  readonly oldest: number;
  readonly newest: number;
}

/** The newest versions, and the number of those before them. */
export interface Collected {
  readonly versions: readonly ShownVersion[];
  readonly omitted: number;
}

/** Keeps the newest versions, without their objects and with lines of bounded length. */
export async function collected(all: AsyncIterable<ShownVersion>): Promise<Collected> {
  const versions: ShownVersion[] = [];
  let omitted = 0;
  for await (const { managers, changes, problem, ...version } of all) {
    versions.push({
      ...version,
      object: undefined,
      managers: managers.map(cut),
      changes: changes.map(cut),
      ...(problem === undefined ? {} : { problem: cut(problem) }),
    });
    if (versions.length <= versionsShownMax) continue;
    versions.shift();
    omitted++;
  }
  return { versions, omitted };
}

/** A text of its own: a part of a text would keep the whole of it. */
function cut(text: string): string {
  const shown = printable(text.length <= lineCharactersMax ? text : `${text.slice(0, lineCharactersMax)}...`);
  return new TextDecoder().decode(new TextEncoder().encode(shown));
}

/** `pods "web" in the namespace "shop"`. */
export function objectText({ resource, namespace, name }: Omit<HistoryOf, "oldest" | "newest">): string {
  return printable(`${resource} "${name}"${namespace === "" ? "" : ` in the namespace "${namespace}"`}`);
}

/** The lines of the history. */
export function historyLines(what: HistoryOf, { versions, omitted }: Collected): readonly string[] {
  const count = versions.length + omitted;
  const head = `${objectText(what)}: ${count} ${count === 1 ? "version" : "versions"} in the revisions ${what.oldest} to ${what.newest}`;
  return [
    head,
    ...(omitted === 0 ? [] : [`${omitted} older ones are not shown`]),
    ...versions.flatMap(({ revision, write, time, managers, changes, problem }) => [
      "",
      [
        `revision ${revision}`,
        ...(time === undefined ? [] : [time]),
        managers.length === 0
          ? writes[write]
          : `${writes[write]}${write === "first kept" ? ", with fields of" : " by"} ${managers.join(", ")}`,
      ]
        .join("  "),
      ...[...(problem === undefined ? [] : [problem]), ...changes].map((line) => `  ${line}`),
    ]),
  ];
}

const writes: Readonly<Record<ShownVersion["write"], string>> = Object.freeze({
  created: "created",
  changed: "changed",
  deleted: "deleted",
  "first kept": "the oldest that the store still has",
});

/** The result of `-o json`. */
export function historyJson(what: HistoryOf, { versions, omitted }: Collected): JsonObject {
  return {
    ...what,
    omitted,
    versions: versions.map(({ revision, write, time, managers, changes, problem }) => ({
      revision,
      write: write === "first kept" ? "firstKept" : write,
      ...(time === undefined ? {} : { time }),
      managers,
      changes,
      ...(problem === undefined ? {} : { problem }),
    })),
  };
}
