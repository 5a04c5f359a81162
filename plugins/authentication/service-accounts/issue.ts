/** New tokens of service accounts. */
import type { TokenIssuer } from "../../../core/authentication.ts";
import { extendedSeconds, projectedSeconds } from "./validity.ts";
import { jose } from "../jose.ts";
import { boundPayload, legacyPayload } from "./claims.ts";
import type { KeySet, SigningKey } from "./keys.ts";
import { valueText } from "../../../core/value-text.ts";

export interface IssuerNeeds {
  readonly keys: () => Promise<KeySet>;
  readonly settings: () => IssuerSettings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
export interface IssuerSettings {
  /** The issuer of new tokens. */
  readonly issuer: string;
  /** The audiences of tokens without requested ones. */
  readonly audiences: readonly string[];
  /** Maximum validity of a token in seconds; 0: no bound. */
  readonly secondsMax: number;
  /** Whether tokens that are bound to pods have a longer validity than requested (--service-account-extend-token-expiration). */
  readonly extends: boolean;
}

export function tokenIssuer({ keys, settings, now }: IssuerNeeds): TokenIssuer {
  return {
    async issue({ namespace, account, bound, expirationSeconds, audiences: asked }) {
      const { issuer, audiences: own, secondsMax, extends: mayExtend } = settings();
      const { signing } = await keys();
      const audiences = asked.length === 0 ? own : asked;
      const seconds = secondsMax > 0 ? Math.min(expirationSeconds, secondsMax) : expirationSeconds;
      const isExtended = mayExtend && bound?.kind === "pod" && seconds === projectedSeconds &&
        audiences.every((each) => own.includes(each));
      const id = crypto.randomUUID(), begun = Math.floor(now() / 1000);
      const payload = boundPayload({
        issuer,
        audiences,
        namespace,
        account,
        bound,
        id,
        now: begun,
        seconds: isExtended ? extendedSeconds : seconds,
        warnAfterSeconds: isExtended ? seconds : undefined,
      });
      return { token: await signed(signing, payload), audiences, expirationSeconds: seconds, issued: begun * 1000, id };
    },
    async issueLegacy(namespace, account, secretName) {
      return await signed((await keys()).signing, legacyPayload(namespace, account, secretName));
    },
  };
}

async function signed({ id, algorithm, privateKey }: SigningKey, payload: object): Promise<string> {
  const bytes = new TextEncoder().encode(valueText(payload));
  const { CompactSign } = await jose();
  return await new CompactSign(bytes).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey);
}
