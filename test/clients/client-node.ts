/** The configuration of the JavaScript client for a test server. */
import { KubeConfig } from "@kubernetes/client-node";

/**
 * The client's HTTP/2 uses undici, which crashes Deno 2.9 (an assertion in nghttp2, or a segmentation fault). There it uses HTTP/1.1 with
 * the same requests; on Node it is unchanged.
 */
class Config extends KubeConfig {
  override createDispatcherOptions(
    ...args: Parameters<KubeConfig["createDispatcherOptions"]>
  ): ReturnType<KubeConfig["createDispatcherOptions"]> {
    const made = super.createDispatcherOptions(...args);
    if (!("Deno" in globalThis) || made.type !== "agent") return made;
    return { ...made, connect: { ...made.connect, allowH2: false } as typeof made.connect }; // An option of undici.
  }
}

export function configOf(kubeconfig: string): KubeConfig {
  const config = new Config();
  config.loadFromFile(kubeconfig);
  return config;
}
