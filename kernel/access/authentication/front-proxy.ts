/** A proxy in front that has authenticated its clients and says in headers who they are, as a kube-apiserver does that forwards to us. */
import type { Exchange } from "../../request/exchange.ts";
import type { Authenticator } from "./authenticate.ts";

/** Names of headers and of the clients that may send them. The members have the names of the settings. */
export interface FrontProxyOptions {
  readonly "requestheader-allowed-names": readonly string[];
  readonly "requestheader-username-headers": readonly string[];
  readonly "requestheader-uid-headers": readonly string[];
  readonly "requestheader-group-headers": readonly string[];
  readonly "requestheader-extra-headers-prefix": readonly string[];
}

/**
 * Headers count only where the client's certificate is one of the front proxy's authority, and bears an allowed name where any are
 * named; otherwise they are headers like any others. `options` are those in force. The rules are those of upstream's headerrequest.
 */
export function frontProxy(options: () => FrontProxyOptions): Authenticator {
  return {
    name: "requestheader",
    async authenticate({ frontProxy, headers }) {
      if (frontProxy === undefined) return undefined;
      const settings = options();
      const names = settings["requestheader-allowed-names"];
      if (names.length > 0 && !names.includes(frontProxy.commonName)) return "refused";
      const name = first(headers, settings["requestheader-username-headers"]);
      if (name === undefined) return undefined;
      const uid = first(headers, settings["requestheader-uid-headers"]);
      return {
        name,
        ...(uid === undefined ? {} : { uid }),
        groups: settings["requestheader-group-headers"].flatMap((header) => all(headers, header)).filter((group) => group !== ""),
        extra: extraOf(headers, settings["requestheader-extra-headers-prefix"]),
      };
    },
  };
}

/** Values of a header in order, as the UTF-8 that they are: they come with a character for each byte. */
function all(headers: Exchange["headers"], name: string): readonly string[] {
  return [headers[name.toLowerCase()] ?? []].flat().map((value) => utf8(value));
}
function utf8(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}

/** The first of these headers that has a value; of one that is repeated, only its first value is looked at. */
function first(headers: Exchange["headers"], names: readonly string[]): string | undefined {
  return names.map((name) => all(headers, name)[0] ?? "").find((value) => value !== "");
}

/** What stands behind a prefix is a key, in lower case and then percent-decoded; its values add up. */
function extraOf(headers: Exchange["headers"], prefixes: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const prefix of prefixes.map((each) => each.toLowerCase())) {
    for (const name of Object.keys(headers)) {
      if (!name.startsWith(prefix)) continue;
      const key = decoded(name.slice(prefix.length));
      found.set(key, [...found.get(key) ?? [], ...all(headers, name)]);
    }
  }
  // Defines its properties: a key may be called `__proto__`.
  return Object.fromEntries(found);
}

/** A key that is not well encoded is taken as it is. */
function decoded(key: string): string {
  return /%(?![0-9a-f]{2})/.test(key) ? key : utf8(key.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))));
}
