import { type Api, type Controller, StatusError, worked, type WorkMeter } from "../../plugin.ts";

/** The name of the service account of each namespace. */
const name = "default";

/** Creates the default service account in each namespace, and recreates it after a deletion. */
export const serviceAccountController: Controller = {
  name: "serviceaccount",
  serviceAccount: "service-account-controller",
  fieldManager: "kube-controller-manager",
  needs: ["namespaces", "serviceaccounts"].map((resource) => ({ resource, groupVersions: ["v1"] })),
  async run({ api, work }, signal) {
    // If one watch fails, end the other too: the controller restarts as a whole.
    const failed = new AbortController();
    const until = AbortSignal.any([signal, failed.signal]);
    const watches = [watchNamespaces(api, until, work), watchAccounts(api, until, work)];
    try {
      await Promise.all(watches);
    } finally {
      failed.abort();
      await Promise.allSettled(watches);
    }
  },
};

async function watchNamespaces(api: Api, signal: AbortSignal, work: WorkMeter | undefined): Promise<void> {
  for await (const { type, object } of api.watch("v1", "namespaces", "", {}, signal)) {
    if (type === "ADDED" && (object.metadata.deletionTimestamp ?? null) === null) {
      await ensureAccount(api, object.metadata.name ?? "", work);
    }
  }
}
async function watchAccounts(api: Api, signal: AbortSignal, work: WorkMeter | undefined): Promise<void> {
  for await (const { type, object } of api.watch("v1", "serviceaccounts", "", { fieldSelector: `metadata.name=${name}` }, signal)) {
    if (type === "DELETED") await ensureAccount(api, object.metadata.namespace ?? "", work);
  }
}

async function ensureAccount(api: Api, namespace: string, work: WorkMeter | undefined): Promise<void> {
  try {
    await worked(work, namespace, () => api.create("v1", "serviceaccounts", namespace, { metadata: { name } }));
  } catch (error) {
    if (!(error instanceof StatusError) || !isExpected(error)) throw error;
  }
}
/** Errors that need no retry: the account exists, or the namespace is deleted or terminating. */
function isExpected({ reason }: StatusError): boolean {
  return reason === "AlreadyExists" || reason === "NotFound" || reason === "Forbidden";
}
