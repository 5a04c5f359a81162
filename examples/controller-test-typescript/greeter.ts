/** A small controller: it writes a greeting to each ConfigMap with the label `greet`. */
import { CoreV1Api, type KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";

/** Runs until the signal is aborted. Resolves when it follows the ConfigMaps of the namespace. */
export async function runGreeter(config: KubeConfig, namespace: string, signal: AbortSignal): Promise<void> {
  const api = config.makeApiClient(CoreV1Api);
  const labelSelector = "greet";
  const informer = makeInformer(
    config,
    `/api/v1/namespaces/${namespace}/configmaps`,
    () => api.listNamespacedConfigMap({ namespace, labelSelector }),
    labelSelector,
  );
  const greet = async (object: V1ConfigMap) => {
    const name = object.metadata!.name!;
    const text = `Hello, ${object.metadata!.labels!["greet"]}`;
    if (object.data?.["text"] === text) return;
    // A whole object with its resourceVersion: a change that came in between makes a conflict, and its event makes the next attempt.
    await api.replaceNamespacedConfigMap({ name, namespace, body: { ...object, data: { ...object.data, text } } });
  };
  const take = (object: V1ConfigMap) => void greet(object).catch((error) => error.code === 409 || console.error(error));
  informer.on("add", take);
  informer.on("update", take);
  // A watch ends from time to time: begin anew.
  informer.on("error", () => signal.aborted || setTimeout(() => informer.start(), 1_000));
  signal.addEventListener("abort", () => void informer.stop());
  await informer.start();
}
