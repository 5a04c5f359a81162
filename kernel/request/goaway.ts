/** Selects the requests that are answered with GOAWAY, so that the client opens another connection. */
import { isAnonymous, type UserInfo } from "../../core/user-info.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Exchange } from "./exchange.ts";

/** Never over HTTP/1.1: a connection carries one request at a time. `chance` is from 0 to 1, as `random` is. */
export function goawayChooser(
  chance: () => number,
  random: () => number,
): (exchange: Pick<Exchange, "protocol">, user: UserInfo | undefined, catalog: Pick<Catalog, "gates">) => boolean {
  return ({ protocol }, user, { gates }) => {
    if (protocol !== "HTTP/2.0") return false;
    // Many streams on one connection cost a server more than a client: unauthenticated clients get one request per connection
    // (CVE-2023-44487).
    if ((user === undefined || isAnonymous(user)) && gates.isOn("UnauthenticatedHTTP2DOSMitigation")) return true;
    const share = chance();
    return share > 0 && random() < share;
  };
}
