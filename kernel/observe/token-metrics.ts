/** Metrics of service account tokens, under upstream's names. */
import { defineMetric } from "../../metrics/mod.ts";

const counter = (name: string, help: string) =>
  defineMetric({ name: `serviceaccount_${name}`, type: "counter", help, labels: [], stability: "ALPHA" });

export const tokenMetrics = Object.freeze({
  legacyTokens: counter("legacy_tokens_total", "Uses of legacy service account tokens."),
  staleTokens: counter("stale_tokens_total", "Uses of service account tokens that the client should have replaced."),
  validTokens: counter("valid_tokens_total", "Uses of extended service account tokens that the client need not replace yet."),
  manualLegacyTokens: counter("legacy_manual_token_uses_total", "Uses of legacy tokens of Secrets that the account does not list."),
  automaticLegacyTokens: counter("legacy_auto_token_uses_total", "Uses of legacy tokens of Secrets that the account lists."),
  invalidLegacyTokens: counter(
    "invalid_legacy_auto_token_uses_total",
    "Rejected uses of legacy tokens of Secrets that are marked invalid.",
  ),
});
