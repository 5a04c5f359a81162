/** Replays many scenarios, several at a time, each lane on a server of its own. */
import { openClient } from "./client.ts";
import { serverFlags } from "./needs.ts";
import type { Case } from "./recording.ts";
import { type Outcome, replay, type Server } from "./replay.ts";

export interface RunningServer extends Server {
  close(): Promise<void>;
}
export type StartServer = (flags: readonly string[]) => Promise<RunningServer>;

/**
 * Scenarios in one lane follow each other, as when they were recorded: lists over all namespaces and revisions of the
 * store would show a neighbour. Lanes make use of the time that watches wait.
 */
const lanesDefault = 6;

const message = (problem: unknown): string => problem instanceof Error ? problem.message : String(problem);

async function answers(server: Server): Promise<boolean> {
  const client = openClient(server.url, server.ca);
  try {
    const headers = [["Authorization", `Bearer ${server.tokens["admin"]}`]] as const;
    const { status } = await client.send({ method: "GET", path: "/version", headers, timeoutMs: 10_000 });
    return status === 200;
  } catch {
    return false; // no answer is the answer here
  } finally {
    client.close();
  }
}

/** One after the other on one server; a server that a scenario has brought down is started anew, and the scenario told of it. */
async function lane(
  next: () => Case | undefined,
  flags: readonly string[],
  start: StartServer,
  done: (outcome: Outcome) => void,
): Promise<void> {
  let server: RunningServer | undefined;
  for (let one = next(); one !== undefined; one = next()) {
    try {
      server ??= await start(flags);
    } catch (problem) {
      const text = `the server does not start with ${flags.join(" ") || "no flags"}: ${message(problem)}`;
      done({ case: one, differences: [{ step: undefined, text }], answers: [] });
      continue;
    }
    const outcome = await replay(one, server);
    if (outcome.differences.length === 0 || await answers(server)) {
      done(outcome);
      continue;
    }
    done({ ...outcome, differences: [...outcome.differences, { step: undefined, text: serverGone }] });
    await server.close().catch(() => {}); // it is gone already
    server = undefined;
  }
  await server?.close();
}

/** The text of the difference that says that the server did not survive; never acceptable. */
export const serverGone = "the server does not answer any more";

/** Every outcome, in the order of `cases`. `each` sees them as they come. */
export async function runAll(
  cases: readonly Case[],
  start: StartServer,
  options: { readonly lanes?: number; readonly each?: (outcome: Outcome) => void } = {},
): Promise<Outcome[]> {
  const groups = Map.groupBy(cases, ({ scenario }) => serverFlags(scenario.needs ?? []).join(" "));
  const outcomes = new Map<Case, Outcome>();
  const done = (outcome: Outcome): void => {
    outcomes.set(outcome.case, outcome);
    options.each?.(outcome);
  };
  for (const [flags, group] of groups) {
    const queue = group.values();
    const next = (): Case | undefined => queue.next().value;
    const lanes = Math.min(options.lanes ?? lanesDefault, group.length);
    await Promise.all(Array.from({ length: lanes }, () => lane(next, flags === "" ? [] : flags.split(" "), start, done)));
  }
  return cases.flatMap((one) => outcomes.get(one) ?? []);
}
