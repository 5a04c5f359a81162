/** A PostgreSQL of the machine, for one test. */
import { execFileSync } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { freePort } from "./ports.ts";
import { programs } from "./programs.ts";
import { startCommand, until } from "./real-server.ts";

export interface Postgres {
  readonly port: number;
  /** Runs statements in a database. */
  run(database: string, statements: string): void;
  stop(): Promise<void>;
}

const [initdb] = programs("initdb"), [program] = programs("postgres"), [psql] = programs("psql");
/** PostgreSQL refuses to run as root: root runs it as the user that its package makes. */
const account = process.getuid?.() === 0 ? accountNamed("postgres") : "own";

function accountNamed(name: string): { readonly uid: number; readonly gid: number } | undefined {
  try {
    const id = (flag: string) => Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return undefined; // there is no such user
  }
}

/** Why PostgreSQL cannot be started, or false. */
export const postgresMissing: string | false = initdb === undefined || program === undefined || psql === undefined
  ? "no initdb, postgres and psql on PATH"
  : account === undefined && "root cannot run PostgreSQL, and there is no user postgres";

/** Starts an empty one on loopback, with the user `postgres`, who needs no password. */
export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "thole-postgres-")), port = await freePort(), other = account === "own" ? undefined : account;
  const options = { cwd: folder, ...other };
  if (other !== undefined) await chown(folder, other.uid, other.gid);
  const data = join(folder, "data");
  execFileSync(initdb!, ["--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", data], { ...options, stdio: "ignore" });
  const server = await startCommand(
    [program!, "-D", data, "-k", folder, "-h", "127.0.0.1", "-p", String(port), "-c", "fsync=off"],
    options,
  );
  const run = (database: string, statements: string) =>
    void execFileSync(psql!, ["-v", "ON_ERROR_STOP=1", connection(port, database)], {
      input: statements,
      stdio: ["pipe", "ignore", "pipe"],
    });
  // kine makes its database only if its first connection succeeds.
  await until(() => run("postgres", "SELECT 1"));
  return {
    port,
    run,
    async stop() {
      server.signal("SIGINT");
      await server.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The address of a database of it, which kine and psql take. */
export const connection = (port: number, database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}?sslmode=disable`;
