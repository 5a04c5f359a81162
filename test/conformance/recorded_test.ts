// Requirements of upstream's conformance for these kinds that the other tests here do not repeat: each with the recorded conversation that
// covers it. A renamed or failing recording is detected here.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pendingReason, readClaims, readPending } from "../transcripts/pending.ts";
import { readCases } from "../transcripts/recording.ts";

const elsewhere: readonly (readonly [behaviour: string, area: string, scenario: string])[] = [
  [
    "a Secret or ConfigMap with an empty key is refused",
    "configmaps",
    "data keys that are empty, hold other characters, are dots only, start with two dots or are too long are refused",
  ],
  [
    "a Secret of a type has the data of that type",
    "secrets",
    "a dockerconfigjson secret needs .dockerconfigjson holding a JSON object, of any content",
  ],
  [
    "the default ServiceAccount is created again",
    "cluster-kinds",
    "every new namespace soon has a service account named default, which comes back when it is deleted",
  ],
  ["of two holders of a Lease one loses", "cluster-kinds", "of two holders that write the same version of a lease the second conflicts"],
  ["a collection of Events goes by label", "deletion", "a collection is deleted by label and field selector"],
  [
    "an Event written in one API is watched in the other",
    "events",
    "a watch in one API shows events written through the other in its own form",
  ],
  [
    "a StorageClass may be the default one",
    "persistentvolumeclaims",
    "a claim gets the newest default class, unless it names a class or the empty one",
  ],
  [
    "a volume that is bound outlives its deletion",
    "persistentvolumes",
    "a bound volume that is deleted stays, shown as Terminating, until it is no longer bound",
  ],
  ["drivers come to a CSINode and leave it", "csinodes", "drivers are added, removed and reordered, also in a replace with a version"],
  [
    "the errors of a VolumeAttachment",
    "volumeattachments",
    "errors in the status have a time, a message and a code, and the time is shown even when missing",
  ],
  [
    "a VolumeAttributesClass waits for its finalizer",
    "volumeattributesclasses",
    "a deleted class waits for its finalizer and then is gone at once",
  ],
  ["three namespaces cannot be deleted", "namespaces", "default, kube-system and kube-public cannot be deleted, not even in a dry run"],
  ["a namespace reports its remaining content", "namespaces", "a namespace being deleted tells in its conditions what is left in it"],
  [
    "metadata alone, of objects and lists",
    "negotiation",
    "an object can be had as a Table or as its metadata only, in v1 or v1beta1 of the meta group",
  ],
  ["a form that does not exist is 406", "negotiation", "a transformation that does not exist is 406 unless another accepted type follows"],
  ["chunks of a Table", "lists", "the chunks of a metadata list and of a table carry the same token and count"],
  [
    "chunks after compaction",
    "lists",
    "an expired token answers 410 with a fresh token in its metadata that leads on in the newest state",
  ],
  [
    "an informer's list and watch join without a gap",
    "watches",
    "a watch that begins at the version of a list misses nothing and repeats nothing",
  ],
  [
    "an unknown field is refused where strict",
    "field-validation",
    "unknown fields are warned about by default, silent with Ignore and refused with Strict",
  ],
  ["an orphaning delete", "deletion", "an orphaning delete takes the owner reference off the dependents and leaves them"],
];

test("requirements that recordings cover name existing recordings that pass", () => {
  const cases = readCases(), pending = readPending(), claims = readClaims();
  const missed = elsewhere.filter(([, area, scenario]) =>
    !cases.some((each) => each.area === area && each.scenario.name === scenario) ||
    pendingReason(pending, area, scenario) !== undefined ||
    claims.some((claim) => claim.area === area && claim.scenario === scenario)
  );
  assert.deepEqual(missed, []);
});
