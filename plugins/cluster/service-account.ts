import {
  ageColumn,
  boolean,
  type Column,
  defineResource,
  field,
  type Infer,
  list,
  mapBy,
  nameColumn,
  object,
  ObjectReference,
  type Resource,
} from "../../plugin.ts";
import { LocalObjectReference, metaRulesOf, spell, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { tokenSubresource } from "./token-request.ts";

const ServiceAccount = object("ServiceAccount", {
  secrets: field(2, mapBy(["name"], ObjectReference), "Secrets that pods of this account may use. Only the names are stored.", {
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
  imagePullSecrets: field(3, list(LocalObjectReference), "Secrets for pulling images for pods of this account."),
  automountServiceAccountToken: field(4, boolean, "Whether the account's token is mounted into its pods. A pod can override it.", {
    pointer: true,
  }),
}, { package: "core/v1", doc: "An identity for programs that run in the cluster." });
type ServiceAccount = Infer<typeof ServiceAccount>;

const columns: readonly Column<ServiceAccount>[] = [nameColumn, ageColumn];

/** Removes all fields of references to secrets except their names. */
function withNamesOnly(account: ServiceAccount): ServiceAccount {
  const { secrets } = account;
  if (secrets === undefined || secrets.every((secret) => Object.keys(secret).every((key) => key === "name"))) return account;
  return { ...account, secrets: secrets.map(({ name }) => name === undefined ? {} : { name }) };
}

export const serviceAccounts: Resource<ServiceAccount> = defineResource({
  kind: "ServiceAccount",
  scope: "Namespaced",
  shortNames: ["sa"],
  summary: "An identity for programs that run in the cluster.",
  storedAs: "v1",
  storedUnder: "serviceaccounts",
  served: { v1: { schema: ServiceAccount, introduced: "1.0", columns, subresources: { token: tokenSubresource } } },
  strategy: { deleteAnswers: "object", coreFinalizers: true },
  prepare: withNamesOnly,
  update(next, prior, context) {
    const rules = metaRulesOf(serviceAccounts, context.names);
    return [...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules), ...validateObjectMeta(next.metadata, rules)];
  },
  warn(next, prior, context) {
    const key = spell(context.names, "{platform}.io/enforce-mountable-secrets");
    const has = (account: ServiceAccount | undefined) => Object.hasOwn(account?.metadata.annotations ?? {}, key);
    if (has(prior) || !has(next)) return [];
    return [`metadata.annotations[${key}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`];
  },
});
