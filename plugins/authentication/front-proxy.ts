/**
 * A proxy in front that has authenticated its clients and sends their identities in headers, as a kube-apiserver that forwards requests.
 */
import type { AuthenticationAnswer, AuthenticatorDefinition, RequestToAuthenticate } from "../../core/authentication.ts";
import { addExtraValues, headerValues } from "../../core/identity-headers.ts";
import { settingsOf } from "../../core/part.ts";
import { goQuote } from "../../core/tree/go-quote.ts";

/** Names of headers and of the clients that may send them. The members are named after the settings. */
export interface FrontProxyOptions {
  readonly "requestheader-allowed-names": readonly string[];
  readonly "requestheader-username-headers": readonly string[];
  readonly "requestheader-uid-headers": readonly string[];
  readonly "requestheader-group-headers": readonly string[];
  readonly "requestheader-extra-headers-prefix": readonly string[];
}

type Forwarded = Pick<RequestToAuthenticate, "frontProxy" | "headers">;

/**
 * Headers are used only if the client's certificate is signed by the front proxy's CA and, if names are configured, has an allowed name.
 * `options` returns the current ones. The rules are those of upstream's headerrequest.
 */
export function frontProxy(options: () => FrontProxyOptions): (request: Forwarded) => AuthenticationAnswer {
  return ({ frontProxy, headers }) => {
    if (frontProxy === undefined) return undefined;
    const settings = options();
    const names = settings["requestheader-allowed-names"];
    if (names.length > 0 && !names.includes(frontProxy.commonName)) {
      return { refused: `front proxy: the common name ${goQuote(frontProxy.commonName)} is not allowed` };
    }
    const name = first(headers, settings["requestheader-username-headers"]);
    if (name === undefined) return undefined;
    const uid = first(headers, settings["requestheader-uid-headers"]);
    return {
      user: {
        name,
        ...(uid === undefined ? {} : { uid }),
        groups: settings["requestheader-group-headers"].flatMap((header) => headerValues(headers, header)).filter((group) => group !== ""),
        extra: extraOf(headers, settings["requestheader-extra-headers-prefix"]),
      },
    };
  };
}

type Headers = RequestToAuthenticate["headers"];

/** The value of the first of these headers that has one; of a repeated header only the first value is used. */
function first(headers: Headers, names: readonly string[]): string | undefined {
  return names.map((name) => headerValues(headers, name)[0] ?? "").find((value) => value !== "");
}

function extraOf(headers: Headers, prefixes: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const prefix of prefixes) addExtraValues(found, headers, prefix.toLowerCase());
  // Defines its properties: a key may be called `__proto__`.
  return Object.fromEntries(found);
}

const flags = Object.freeze({
  "requestheader-allowed-names": "list",
  "requestheader-username-headers": "list",
  "requestheader-uid-headers": "list",
  "requestheader-group-headers": "list",
  "requestheader-extra-headers-prefix": "list",
});

/** The authenticator `requestheader`: the front proxies of the flags. Without them, those of the cluster in front (`cluster`). */
export const requestHeader: AuthenticatorDefinition = {
  name: "requestheader",
  summary: "Users that a front proxy with a certificate of --requestheader-client-ca-file sends in headers.",
  beforeTokens: true,
  plainReasons: true,
  required: true,
  checks: {
    mistakes({ setting }) {
      const uid = settingsOf(setting, flags)["requestheader-uid-headers"];
      const isStandard = uid.length === 0 || uid.some((name) => name.toLowerCase() === "x-remote-uid");
      const text = "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work";
      return isStandard ? [] : [text];
    },
  },
  open: ({ setting }) =>
    setting({ name: "requestheader-client-ca-file", kind: "string" }) === ""
      ? undefined
      : { authenticate: frontProxy(() => settingsOf(setting, flags)) },
};
