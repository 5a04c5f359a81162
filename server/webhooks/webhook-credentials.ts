/** Credentials for webhooks: the users of a kubeconfig are found by the names of servers (upstream: `NewDefaultAuthenticationInfoResolver`). */
import { type Credentials, readUsers } from "../../client/kubeconfig.ts";

/**
 * The user for a server, by its host and port, such as `hook.default.svc:443`. From the first to the last rule: a user with that name; the
 * longest `*.domain:port` that matches; for port 443 the same without the port; `*`; the user of the current context.
 */
export function userFor(hostPort: string, names: ReadonlySet<string>, current: string | undefined): string | undefined {
  const colon = hostPort.lastIndexOf(":"), host = hostPort.slice(0, colon), port = hostPort.slice(colon + 1);
  const candidates = [...namesOf(hostPort), ...(port === "443" ? namesOf(host) : []), "*"];
  return candidates.find((name) => names.has(name)) ?? current;
}

function namesOf(target: string): readonly string[] {
  const parts = target.split(".");
  return [target, ...parts.slice(1).map((_, index) => `*.${parts.slice(index + 1).join(".")}`)];
}

/** The credentials in a kubeconfig file for a server; none if no user matches. */
export async function credentialsIn(path: string, hostPort: string): Promise<Credentials> {
  const users = await readUsers(path), name = userFor(hostPort, users.names, users.current);
  return name === undefined ? {} : await users.credentials(name);
}
