import { type Api, type Controller, runWorkQueue, StatusError } from "../../plugin.ts";
import type { WorkQueue } from "../../toolbox.ts";

/** The name of the service account of each namespace. */
const name = "default";

/** Creates the default service account in each namespace, and recreates it after a deletion. */
export const serviceAccountController: Controller = {
  name: "serviceaccount",
  serviceAccount: "service-account-controller",
  fieldManager: "kube-controller-manager",
  needs: ["namespaces", "serviceaccounts"].map((resource) => ({ resource, groupVersions: ["v1"] })),
  run(context, signal) {
    const { api } = context;
    /** The namespaces that have their account. */
    const have = new Set<string>();
    // A create that fails, for instance because a webhook cannot be called, is retried and does not delay other namespaces.
    const work = async (namespace: string) => have.has(namespace) ? undefined : await ensureAccount(api, namespace);
    return runWorkQueue({ context, signal, work }, async (queue, until) => {
      // If one watch fails, the other is ended too, and the controller restarts as a whole.
      const failed = new AbortController(), both = AbortSignal.any([until, failed.signal]), known = Promise.withResolvers<void>();
      have.clear();
      const accounts = watchAccounts(api, both, { queue, have, synced: known.resolve });
      const watches = [accounts, Promise.race([known.promise, accounts]).then(() => watchNamespaces(api, both, queue))];
      try {
        await Promise.all(watches);
      } finally {
        failed.abort();
        await Promise.allSettled(watches);
      }
    });
  },
};

async function watchNamespaces(api: Api, signal: AbortSignal, queue: WorkQueue): Promise<void> {
  for await (const { type, object } of api.watch("v1", "namespaces", "", {}, signal)) {
    if (type === "ADDED" && (object.metadata.deletionTimestamp ?? null) === null) queue.add(object.metadata.name ?? "");
  }
}

interface Accounts {
  readonly queue: WorkQueue;
  readonly have: Set<string>;
  readonly synced: () => void;
}
async function watchAccounts(api: Api, signal: AbortSignal, { queue, have, synced }: Accounts): Promise<void> {
  const query = { fieldSelector: `metadata.name=${name}` };
  for await (const { type, object } of api.watch("v1", "serviceaccounts", "", query, signal, "everything", synced)) {
    const { namespace = "" } = object.metadata;
    if (type === "DELETED") {
      have.delete(namespace);
      queue.add(namespace);
    } else have.add(namespace);
  }
}

async function ensureAccount(api: Api, namespace: string): Promise<void> {
  try {
    await api.create("v1", "serviceaccounts", namespace, { metadata: { name } });
  } catch (error) {
    if (error instanceof StatusError && (isExpected(error) || await exists(api, namespace))) return;
    throw error;
  }
}

/**
 * Whether the account exists. This is checked first, because admission looks at a create before the store finds that the name is in use.
 */
function exists(api: Api, namespace: string): Promise<boolean> {
  return api.get("v1", "serviceaccounts", namespace, name).then(() => true, () => false);
}
/** Whether the error needs no retry: the account exists, or the namespace is deleted or terminating. */
function isExpected({ reason }: StatusError): boolean {
  return reason === "AlreadyExists" || reason === "NotFound" || reason === "Forbidden";
}
