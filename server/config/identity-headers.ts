/** The headers by which the settings let front proxies name users. */
import type { HeaderNames } from "../../core/connect.ts";
import type { Config } from "./settings.ts";

type NamingSettings = Pick<
  Config,
  "requestheader-username-headers" | "requestheader-uid-headers" | "requestheader-group-headers" | "requestheader-extra-headers-prefix"
>;

/** Returns the names and prefixes of the headers, which are not passed on to other servers. */
export function identityHeaders(config: NamingSettings): HeaderNames {
  const lower = (all: readonly string[]) => all.map((each) => each.toLowerCase());
  return {
    names: lower([
      ...config["requestheader-username-headers"],
      ...config["requestheader-uid-headers"],
      ...config["requestheader-group-headers"],
    ]),
    prefixes: lower(config["requestheader-extra-headers-prefix"].filter((each) => each !== "")),
  };
}
