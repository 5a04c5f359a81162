import {
  boolean,
  field,
  type Infer,
  int32,
  int64,
  LabelSelector,
  list,
  object,
  oneOf,
  setOf,
  string,
  structsOf,
  time,
} from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { PodTemplateSpec } from "../shared/pod/pod-spec.ts";
import { PodFailurePolicy, SuccessPolicy } from "./failure-policy.ts";
import { gates } from "./gates.ts";
import { jobDefaults, withReplacementPolicy } from "./job-defaults.ts";

const home = "batch/v1";
const struct = structsOf(home);

export const JobSpec = struct("JobSpec", {
  parallelism: field(1, int32, "How many pods run at most at the same time. Default 1 for a Job.", { pointer: true }),
  completions: field(
    2,
    int32,
    "How many pods must succeed. Absent: the success of one pod is the success of all. Default 1 for a Job without parallelism.",
    { pointer: true },
  ),
  activeDeadlineSeconds: field(3, int64, "Time in seconds after which the job fails.", { pointer: true }),
  podFailurePolicy: field(11, PodFailurePolicy, "How failures of pods affect the job. Requires restartPolicy Never. Immutable.", {
    pointer: true,
  }),
  successPolicy: field(16, SuccessPolicy, "When an indexed job counts as successful earlier. Immutable.", {
    pointer: true,
  }),
  backoffLimit: field(
    7,
    int32,
    "After how many failures of pods the job fails. Default 6, or the highest number with backoffLimitPerIndex.",
    { pointer: true },
  ),
  backoffLimitPerIndex: field(12, int32, "After how many failures of its pods an index fails, for an indexed job. Immutable.", {
    pointer: true,
  }),
  maxFailedIndexes: field(13, int32, "After how many failed indexes the job fails. Requires backoffLimitPerIndex.", {
    pointer: true,
  }),
  selector: field(4, LabelSelector, "The pods of the job. The server generates it, unless manualSelector is true.", { pointer: true }),
  manualSelector: field(5, boolean, "Whether the client chooses the selector and the labels of the pods. Default false for a Job.", {
    pointer: true,
  }),
  template: field(6, PodTemplateSpec, "The template of the pods. Its restartPolicy is Never or OnFailure.", { required: true }),
  ttlSecondsAfterFinished: field(8, int32, "Time in seconds after which a finished job may be deleted.", { pointer: true }),
  completionMode: field(
    9,
    named("v1.CompletionMode", oneOf("Indexed", "NonIndexed")),
    "Whether each completion has an index (Indexed) or not (NonIndexed, the default for a Job). Immutable.",
    { pointer: true },
  ),
  suspend: field(10, boolean, "Whether no pods are created and active ones are deleted. Default false for a Job.", { pointer: true }),
  podReplacementPolicy: field(
    14,
    named("v1.PodReplacementPolicy", oneOf("Failed", "TerminatingOrFailed")),
    "When a pod is replaced: once it has failed (Failed, the default with a failure policy), or as soon as it terminates (TerminatingOrFailed).",
    { pointer: true },
  ),
  managedBy: field(15, string, "The controller that acts on the job: a path that begins with a domain. Absent: the usual one. Immutable.", {
    pointer: true,
  }),
}, { doc: "What a job does." });
export type JobSpec = Infer<typeof JobSpec>;

const UncountedTerminatedPods = struct("UncountedTerminatedPods", {
  succeeded: field(1, setOf(named("types.UID", string)), "The UIDs of pods that have succeeded."),
  failed: field(2, setOf(named("types.UID", string)), "The UIDs of pods that have failed."),
}, { doc: "Pods that have ended and are not counted yet." });

const JobCondition = struct("JobCondition", {
  type: field(1, named("v1.JobConditionType", string), "Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet, or another type.", {
    required: true,
  }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastProbeTime: field(3, time, "When the condition was last checked.", { written: "always" }),
  lastTransitionTime: field(4, time, "When the status last changed.", { written: "always" }),
  reason: field(5, string, "The reason of the last change in one word."),
  message: field(6, string, "The last change in a sentence."),
}, { doc: "A condition of a job." });

export const JobStatus = struct("JobStatus", {
  conditions: field(1, list(JobCondition), "The conditions of the job.", { patch: { strategy: ["merge"], mergeKey: "type" } }),
  startTime: field(2, time, "When the controller began with the job.", { pointer: true }),
  completionTime: field(3, time, "When the job was complete. Only for jobs with the condition Complete.", { pointer: true }),
  active: field(4, int32, "How many pods are pending or running and do not terminate."),
  succeeded: field(5, int32, "How many pods have succeeded."),
  failed: field(6, int32, "How many pods have failed."),
  terminating: field(11, int32, "How many pods terminate.", { pointer: true }),
  completedIndexes: field(7, string, "The indexes that have succeeded, such as 1,3-5,7."),
  failedIndexes: field(10, string, "The indexes that have failed, in the same form.", { pointer: true }),
  uncountedTerminatedPods: field(8, UncountedTerminatedPods, "Pods that have ended and are not counted yet.", { pointer: true }),
  ready: field(9, int32, "How many active pods are ready.", { pointer: true }),
}, { doc: "What a controller has done for the job." });
export type JobStatus = Infer<typeof JobStatus>;

export const Job = object("Job", {
  spec: field(2, JobSpec, "What the job does.", { written: "always" }),
  status: field(3, JobStatus, "What a controller has done for the job.", { written: "always" }),
}, {
  package: home,
  doc: "Pods that run until a number of them has succeeded. This server does not create them; a controller does.",
  applyDefaults: jobDefaults,
  gatedDefaults: { [gates.replacementPolicy]: withReplacementPolicy },
});
export type Job = Infer<typeof Job>;
