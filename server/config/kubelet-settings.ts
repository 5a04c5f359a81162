/** Connections to kubelets, for logs, commands and ports of pods. */
import { fixed, list, text } from "./setting.ts";

export interface KubeletConfig {
  readonly "kubelet-certificate-authority": string;
  readonly "kubelet-client-certificate": string;
  readonly "kubelet-client-key": string;
  readonly "kubelet-preferred-address-types": readonly string[];
}

const isDialed = "kubelets are reached by the files and addresses of the start; what is in the files is read again";

export const kubeletSettings = Object.freeze({
  "kubelet-certificate-authority": fixed(
    isDialed,
    text("", "PEM file with the CAs of the serving certificates of kubelets. Without it they are not verified."),
  ),
  "kubelet-client-certificate": fixed(isDialed, text("", "PEM file with the client certificate for kubelets. Default: none.")),
  "kubelet-client-key": fixed(isDialed, text("", "PEM file with the key of --kubelet-client-certificate.")),
  "kubelet-preferred-address-types": fixed(
    isDialed,
    list(
      "Types of the addresses of a node at which its kubelet is reached, the best first. Default: Hostname, InternalDNS, InternalIP, ExternalDNS, ExternalIP.",
    ),
  ),
});

/** A certificate is of no use without its key. */
export function kubeletMistakes(config: KubeletConfig): readonly string[] {
  const { "kubelet-client-certificate": certificate, "kubelet-client-key": key } = config;
  return (certificate === "") === (key === "")
    ? []
    : ['flags "--kubelet-client-certificate" and "--kubelet-client-key" must be given together'];
}
