/** The Deno permissions of workers: those of the supervisor, but the right to start processes. */
import { isIP } from "node:net";

/** The part of Deno with the permissions of the process. */
interface DenoPermissions {
  readonly permissions: { querySync(of: { readonly name: string }): { readonly state: string } };
}

const kinds = ["read", "write", "net", "env", "sys", "ffi", "run"] as const;

/**
 * Flags of `deno run` for a worker. `computed` gives those that the settings need. A permission that the supervisor has without limits is
 * given without limits.
 */
export async function workerPermissions(computed: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const { permissions } = (globalThis as unknown as { readonly Deno: DenoPermissions }).Deno; // `as`: the caller has found Deno
  return flagsFrom((name) => permissions.querySync({ name }).state, computed);
}

/** `stateOf`: `granted` (without limits), `denied`, or `prompt`. */
export async function flagsFrom(
  stateOf: (name: (typeof kinds)[number]) => string,
  computed: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const whole = kinds.filter((name) => stateOf(name) === "granted");
  const isFree = (["read", "write", "net"] as const).every((name) => whole.includes(name));
  const flags = isFree ? [...common, ...(stateOf("env") === "denied" ? ["--ignore-env"] : [])] : await computed();
  return [
    ...flags.filter((flag) => !whole.some((name) => flag.startsWith(`--allow-${name}=`) || name === "env" && flag === "--ignore-env")),
    ...whole.map((name) => `--allow-${name}`),
  ];
}

/** The flags with the right to listen on a port that was free. */
export function withPort(flags: readonly string[], host: string, port: number): readonly string[] {
  const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return flags.map((flag) => flag.startsWith("--allow-net=") ? `${flag},${place}` : flag);
}

const common = Object.freeze(["--no-prompt", "--cached-only", "--allow-sys=hostname,networkInterfaces,ca"]);
