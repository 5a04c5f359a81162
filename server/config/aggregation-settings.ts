/** Requests for group versions that other servers have. */
import { bool, fixed, text } from "./setting.ts";

export interface AggregationConfig {
  readonly "proxy-client-cert-file": string;
  readonly "proxy-client-key-file": string;
  readonly "enable-aggregator-routing": boolean;
  readonly "aggregator-reject-forwarding-redirect": boolean;
}

const isDialed = "servers of registered APIs are reached by the files of the start; what is in the files is read again";

export const aggregationSettings = Object.freeze({
  "proxy-client-cert-file": fixed(
    isDialed,
    text(
      "",
      "PEM file with the client certificate by which servers of registered APIs trust the user that this server names. Default: none.",
    ),
  ),
  "proxy-client-key-file": fixed(isDialed, text("", "PEM file with the key of --proxy-client-cert-file.")),
  "enable-aggregator-routing": fixed(
    isDialed,
    bool(false, "Send requests for registered APIs to an endpoint of their service instead of its cluster address."),
  ),
  "aggregator-reject-forwarding-redirect": fixed(
    isDialed,
    bool(true, "Reply 502 when the server of a registered API redirects a client. With false clients follow it."),
  ),
});

/** A certificate is of no use without its key. */
export function aggregationMistakes(config: AggregationConfig): readonly string[] {
  const { "proxy-client-cert-file": certificate, "proxy-client-key-file": key } = config;
  return (certificate === "") === (key === "")
    ? []
    : ['flags "--proxy-client-cert-file" and "--proxy-client-key-file" must be given together'];
}
