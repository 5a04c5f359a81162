import { defaultIssuer, type Names } from "../../../core/names.ts";
import type { SettingOf } from "../../../core/part.ts";

/** The issuers of tokens of service accounts. The first one signs. */
export function tokenIssuers(setting: SettingOf, names: Names): readonly string[] {
  const given = setting({ name: "service-account-issuer", kind: "list" });
  return given.length > 0 ? given : [defaultIssuer(names)];
}
