/** Follows the body of a reply to its end, and measures how long it was made and written. */
import type { AuditNotes } from "./notes.ts";

export interface BodyFollower extends Pick<AuditNotes, "took"> {
  /** Called once: after the last chunk, at a failure, or when the reader stops. */
  complete(): Promise<void>;
  /** Milliseconds. */
  now(): number;
}

/**
 * The same chunks. Between two calls of its reader a chunk is written, which counts as `response-write`; as upstream, both that and the time in which a chunk is made count as
 * `serialize-response-object`.
 */
export function followedBody(body: AsyncIterable<Uint8Array>, follower: BodyFollower): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const chunks = body[Symbol.asyncIterator]();
      let isDone = false, since: number | undefined;
      const complete = async (): Promise<void> => {
        if (isDone) return;
        isDone = true;
        await follower.complete();
      };
      /** Notes the time since the last call. */
      const passed = (isWriting: boolean): void => {
        const now = follower.now(), ms = since === undefined ? 0 : now - since;
        since = now;
        follower.took("serialize-response-object", ms);
        if (isWriting) follower.took("response-write", ms);
      };
      const took = async (next: IteratorResult<Uint8Array>): Promise<IteratorResult<Uint8Array>> => {
        passed(false);
        if (next.done === true) await complete();
        return next;
      };
      const failed = async (error: unknown): Promise<never> => {
        await complete();
        throw error;
      };
      return {
        next: () => {
          passed(true);
          return chunks.next().then(took, failed);
        },
        async return() {
          passed(true);
          await complete();
          await chunks.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
