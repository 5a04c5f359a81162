/** Records the day of a legacy token's last use on its Secret, so that unused ones can be found. */
import type { Api } from "../../../core/api.ts";
import { type Names, spell } from "../../../core/names.ts";
import { StatusError } from "../../../core/status-error.ts";
import { legacyLabels, type SecretUse } from "./legacy.ts";
import { valueText } from "../../../core/value-text.ts";
import { bound } from "../../../core/bound.ts";

/** Secrets with legacy tokens whose last use is being recorded at the same time; further uses are recorded with a later request. */
const tokenUsesMax = bound(64);

export interface RecordUseNeeds {
  readonly api: Api;
  readonly names: () => Names;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly logError: (sentence: string, error: unknown) => void;
}

export interface UseRecorder {
  /** Labels the Secret with the day, once a day. The label is written in the background. */
  record(secret: SecretUse): void;
  /** Resolves when all pending labels are written. */
  ended(): Promise<void>;
}

/** Upstream writes the label within the request; here the request does not wait for it. */
export function useRecorder({ api, names, now, logError }: RecordUseNeeds): UseRecorder {
  const running = new Map<string, Promise<void>>();
  async function label({ namespace, name, uid }: SecretUse, day: string): Promise<void> {
    try {
      const labels = { [spell(names(), legacyLabels.lastUsed)]: day };
      await api.patch("v1", "secrets", namespace, name, { merge: { metadata: { uid, labels } } });
    } catch (error) {
      // The Secret was deleted, or another one has its name.
      if (error instanceof StatusError && (error.reason === "NotFound" || error.reason === "Conflict")) return;
      logError(`cannot label the Secret ${valueText(`${namespace}/${name}`)} with the day of its last use`, error);
    }
  }
  return {
    record(secret) {
      const today = dayOf(now()), tomorrow = dayOf(now() + dayMs), key = `${secret.namespace}/${secret.name}`;
      if (secret.lastUsed === today || secret.lastUsed === tomorrow) return;
      if (running.has(key) || running.size >= tokenUsesMax) return;
      running.set(key, label(secret, today).finally(() => running.delete(key)));
    },
    ended: async () => void await Promise.all(running.values()),
  };
}

const dayMs = 86_400_000;
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
