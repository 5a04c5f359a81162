/** The replay of what a test has at hand. */
import { readRecordingFile } from "../files/recordings.ts";
import { readRecording } from "./read-recording.ts";
import type { RecordedRequest } from "./recorded-request.ts";
import type { Recording } from "./recorder.ts";
import { type ReplayReport, replayRequests, type Send } from "./replay.ts";

/** A recording, some of its requests, its text, or a file with it. */
export type Replayable = Recording | readonly RecordedRequest[] | string | URL | { readonly path: string };

/** Replays a recording. Rejects for a file or a text that is none. */
export async function replayOf(what: Replayable, send: Send): Promise<ReplayReport> {
  return await replayRequests(await requestsOf(what), send);
}

async function requestsOf(what: Replayable): Promise<readonly RecordedRequest[]> {
  if (typeof what === "string") return readRecording(what);
  if (what instanceof URL) return readRecording(await readRecordingFile(what));
  if ("path" in what) return readRecording(await readRecordingFile(what.path));
  return "requests" in what ? what.requests() : what;
}
