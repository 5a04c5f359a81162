/** PriorityLevelConfigurations between the versions of flow control. */
import type { Rule } from "./rule.ts";

/** In `v1beta3`: 0 shares mean 0. Without it they mean the default. */
const preservesZero = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
const sharesDefault = 30;

export const priorityLevel: Rule = (object, { from, to }) => {
  const limited = object.fields("spec")?.fields("limited");
  if (from.endsWith("/v1beta2")) limited?.rename("assuredConcurrencyShares", "nominalConcurrencyShares");
  if (!to.endsWith("/v1")) return;
  const annotations = object.fields("metadata")?.fields("annotations");
  const keepsZero = from.endsWith("/v1beta3") && annotations?.names().includes(preservesZero) === true;
  if (keepsZero) annotations.remove(preservesZero);
  const shares = limited?.scalar("nominalConcurrencyShares");
  if (shares?.type !== "int" || shares.value !== 0n || keepsZero) return;
  limited!.set("nominalConcurrencyShares", sharesDefault);
  limited!.note("nominalConcurrencyShares", `${sharesDefault} written, which is what 0 meant in ${from}`);
};
