/** Users of requests that are not authenticated by the server. */
import type { UserInfo } from "../core/user-info.ts";
import type { Server } from "../kernel/server.ts";

/** The user of requests of a test that names none. */
export const admin: UserInfo = Object.freeze({ name: "admin", groups: ["system:masters", "system:authenticated"] });
/** The user of a request without credentials. */
export const anonymous: UserInfo = Object.freeze({ name: "system:anonymous", groups: ["system:unauthenticated"] });

/** Returns a server whose requests are all by this user. */
export function withUser(server: Server, user: UserInfo): Server {
  return Object.create(server, { authenticate: { value: () => Promise.resolve(user) } });
}
