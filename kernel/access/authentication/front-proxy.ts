/**
 * A proxy in front that has authenticated its clients and sends their identities in headers, as a kube-apiserver that forwards requests.
 */
import type { Exchange } from "../../request/exchange.ts";
import { goQuote } from "../../../core/tree/go-quote.ts";
import { addExtraValues, headerValues } from "../identity-headers.ts";
import { type Authenticator, Refused } from "./authenticate.ts";

/** Names of headers and of the clients that may send them. The members are named after the settings. */
export interface FrontProxyOptions {
  readonly "requestheader-allowed-names": readonly string[];
  readonly "requestheader-username-headers": readonly string[];
  readonly "requestheader-uid-headers": readonly string[];
  readonly "requestheader-group-headers": readonly string[];
  readonly "requestheader-extra-headers-prefix": readonly string[];
}

/**
 * Headers are used only if the client's certificate is signed by the front proxy's CA and, if names are configured, has an allowed name.
 * `options` returns the current ones. The rules are those of upstream's headerrequest.
 */
export function frontProxy(options: () => FrontProxyOptions): Authenticator {
  return {
    name: "requestheader",
    async authenticate({ frontProxy, headers }) {
      if (frontProxy === undefined) return undefined;
      const settings = options();
      const names = settings["requestheader-allowed-names"];
      if (names.length > 0 && !names.includes(frontProxy.commonName)) {
        return new Refused(`front proxy: the common name ${goQuote(frontProxy.commonName)} is not allowed`);
      }
      const name = first(headers, settings["requestheader-username-headers"]);
      if (name === undefined) return undefined;
      const uid = first(headers, settings["requestheader-uid-headers"]);
      return {
        name,
        ...(uid === undefined ? {} : { uid }),
        groups: settings["requestheader-group-headers"].flatMap((header) => headerValues(headers, header)).filter((group) => group !== ""),
        extra: extraOf(headers, settings["requestheader-extra-headers-prefix"]),
      };
    },
  };
}

/** The value of the first of these headers that has one; of a repeated header only the first value is used. */
function first(headers: Exchange["headers"], names: readonly string[]): string | undefined {
  return names.map((name) => headerValues(headers, name)[0] ?? "").find((value) => value !== "");
}

function extraOf(headers: Exchange["headers"], prefixes: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const prefix of prefixes) addExtraValues(found, headers, prefix.toLowerCase());
  // Defines its properties: a key may be called `__proto__`.
  return Object.fromEntries(found);
}
