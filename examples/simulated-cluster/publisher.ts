/** Publishes a site: a Deployment that serves its image, and the wait until it is there. */
import type { Api } from "thole/plugin";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}
interface Deployment {
  readonly metadata: { readonly generation?: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

/** Creates or changes the Deployment of a site, and resolves when all of its pods are available. Rejects when its deadline has passed. */
export async function publish(api: Api, name: string, image: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
  const labels = { site: name }, replicas = 3;
  await api.apply("apps/v1", "deployments", "default", name, {
    spec: {
      replicas,
      progressDeadlineSeconds: 2,
      minReadySeconds: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers: [{ name: "site", image }] } },
    },
  });
  const stop = new AbortController(), query = { fieldSelector: `metadata.name=${name}` };
  for await (const { object } of api.watch("apps/v1", "deployments", "default", query, stop.signal)) {
    const { metadata, status } = object as unknown as Deployment;
    if (Number(status.observedGeneration ?? 0) < Number(metadata.generation ?? 0)) continue;
    const progressing = status.conditions?.find(({ type }) => type === "Progressing");
    if (progressing?.status === "False") throw new Error(progressing.message);
    if (status.availableReplicas === replicas) break;
  }
  stop.abort();
}
