import type { Api, Controller } from "../../core/plugin.ts";
import { worked, type WorkMeter } from "../../core/work.ts";
import { StatusError } from "../../core/status-error.ts";

/** The account that every namespace has. */
const name = "default";

/** Gives each namespace its default service account, and gives it back when somebody deletes it. */
export const serviceAccountController: Controller = {
  name: "serviceaccount",
  needs: ["namespaces", "serviceaccounts"].map((resource) => ({ resource, groupVersions: ["v1"] })),
  async run({ api, work }, signal) {
    // Where one of the two watches fails, the other ends too, so that both start again together.
    const failed = new AbortController();
    const until = AbortSignal.any([signal, failed.signal]);
    const watches = [onNamespaces(api, until, work), onAccounts(api, until, work)];
    try {
      await Promise.all(watches);
    } finally {
      failed.abort();
      await Promise.allSettled(watches);
    }
  },
};

async function onNamespaces(api: Api, signal: AbortSignal, work: WorkMeter | undefined): Promise<void> {
  for await (const { type, object } of api.watch("v1", "namespaces", "", {}, signal)) {
    if (type === "ADDED" && (object.metadata.deletionTimestamp ?? null) === null) {
      await ensureAccount(api, object.metadata.name ?? "", work);
    }
  }
}
async function onAccounts(api: Api, signal: AbortSignal, work: WorkMeter | undefined): Promise<void> {
  for await (const { type, object } of api.watch("v1", "serviceaccounts", "", { fieldSelector: `metadata.name=${name}` }, signal)) {
    if (type === "DELETED") await ensureAccount(api, object.metadata.namespace ?? "", work);
  }
}

async function ensureAccount(api: Api, namespace: string, work: WorkMeter | undefined): Promise<void> {
  try {
    await worked(work, namespace, () => api.create("v1", "serviceaccounts", namespace, { metadata: { name } }));
  } catch (error) {
    if (!(error instanceof StatusError) || !isSettled(error)) throw error;
  }
}
/** It is there already, or the namespace is gone or going. */
function isSettled({ reason }: StatusError): boolean {
  return reason === "AlreadyExists" || reason === "NotFound" || reason === "Forbidden";
}
