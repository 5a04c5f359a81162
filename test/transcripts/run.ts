/** Replays many scenarios concurrently, each lane on its own server. */
import { until } from "../real-server.ts";
import { type Client, openClient } from "./client.ts";
import { serverFlags } from "./needs.ts";
import type { Case } from "./recording.ts";
import { type Outcome, replay, type Server } from "./replay.ts";

export interface RunningServer extends Server {
  close(): Promise<void>;
}
export type StartServer = (flags: readonly string[]) => Promise<RunningServer>;

/**
 * Scenarios in one lane run in sequence, as in the recording: lists over all namespaces and revisions of the store would show concurrent
 * ones. Lanes use the time in which watches wait.
 */
const lanesDefault = 12;

const message = (problem: unknown): string => problem instanceof Error ? problem.message : String(problem);

/** Whether the administrator gets a 200 from the path. */
async function answers(server: Server, path: string): Promise<boolean> {
  const client = openClient(server.url, server.ca);
  try {
    const headers = [["Authorization", `Bearer ${server.tokens["admin"]}`]] as const;
    const { status } = await client.send({ method: "GET", path, headers, timeoutMs: 10_000 });
    return status === 200;
  } catch {
    return false; // An absent response is the result here.
  } finally {
    client.close();
  }
}

/** A lane's server, which is replaced if a scenario needs other flags or has stopped it. */
interface Lane {
  server?: RunningServer | undefined;
  /** Its connections serve one scenario after the other: a handshake costs as much as several requests. */
  client?: Client | undefined;
  flags?: string;
}

async function serverFor(lane: Lane, flags: string, start: StartServer): Promise<RunningServer> {
  if (lane.server !== undefined && lane.flags === flags) return lane.server;
  await stop(lane);
  lane.flags = flags;
  const server = lane.server = await start(flags === "" ? [] : flags.split(" "));
  // Before that, the roles that every user has may be missing.
  await until(async () => {
    if (!await answers(server, "/readyz")) throw new Error("the server is not ready");
  });
  lane.client = openClient(server.url, server.ca);
  return server;
}

async function stop(lane: Lane): Promise<void> {
  const { server, client } = lane;
  lane.server = lane.client = undefined;
  client?.close();
  await server?.close();
}

const flagsOf = ({ scenario }: Case): string => serverFlags(scenario.needs ?? []).join(" ");

/** Scenarios with flags that one lane replays in sequence, so that not every lane starts a server with them. */
const withFlagsAtOnce = 10;

/** What a lane takes at once: some scenarios with the same flags, or one without flags. Those with flags are first, so that the lanes end together. */
function piecesOf(cases: readonly Case[]): readonly (readonly Case[])[] {
  const { "": plain = [], ...flagged } = Object.groupBy(cases, flagsOf);
  const pieces = Object.values(flagged).flatMap((same = []) =>
    Array.from(
      { length: Math.ceil(same.length / withFlagsAtOnce) },
      (_, at) => same.slice(at * withFlagsAtOnce, (at + 1) * withFlagsAtOnce),
    )
  );
  return [...pieces, ...plain.map((one) => [one])];
}

async function replayIn(lane: Lane, one: Case, start: StartServer): Promise<Outcome> {
  const flags = flagsOf(one);
  try {
    const server = await serverFor(lane, flags, start);
    const outcome = await replay(one, server, lane.client);
    if (outcome.differences.length === 0 || await answers(server, "/version")) return outcome;
    await stop(lane).catch(() => {}); // It has ended already.
    return { ...outcome, differences: [...outcome.differences, { step: undefined, text: serverGone }] };
  } catch (problem) {
    const text = `the server does not start with ${flags || "no flags"}: ${message(problem)}`;
    return { case: one, differences: [{ step: undefined, text }], answers: [] };
  }
}

/** The text of the difference for a server that did not survive; never acceptable. */
export const serverGone = "the server does not answer any more";

/** Every outcome, in the order of `cases`. `each` receives them in order of completion. */
export async function runAll(
  cases: readonly Case[],
  start: StartServer,
  options: { readonly lanes?: number; readonly each?: (outcome: Outcome) => void } = {},
): Promise<Outcome[]> {
  const outcomes = new Map<Case, Outcome>();
  const queue = piecesOf(cases).values();
  const work = async (): Promise<void> => {
    const lane: Lane = {};
    for (let piece = queue.next().value; piece !== undefined; piece = queue.next().value) {
      for (const one of piece) {
        const outcome = await replayIn(lane, one, start);
        outcomes.set(one, outcome);
        options.each?.(outcome);
      }
    }
    await stop(lane);
  };
  await Promise.all(Array.from({ length: Math.min(options.lanes ?? lanesDefault, cases.length) }, work));
  return cases.flatMap((one) => outcomes.get(one) ?? []);
}
