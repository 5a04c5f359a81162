/** What the tests of workers share. */
import { samplesOf, sumOf } from "../../kernel/nonresource/status-page/samples.ts";
import { etcdMissing } from "../etcd.ts";
import type { Client } from "../https.ts";
import { ownRuntime, startSkipped } from "../real-server.ts";

export const skip = etcdMissing() || startSkipped(ownRuntime);
export const path = "/api/v1/namespaces/default/configmaps";

/** The value of a series, or of the sum of the series that have these labels. */
export async function metric(client: Client, name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const { text } = await client.ask("/metrics");
  return sumOf(samplesOf(text, [name]).get(name)!, (found) => Object.entries(labels).every(([key, value]) => found.get(key) === value));
}
