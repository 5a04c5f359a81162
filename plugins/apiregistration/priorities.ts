/** The priorities of the group versions that the server itself has, as kube-apiserver registers them. */
import { type Names, spell } from "../../toolbox.ts";

/** The priority of versions that have no other one, by stage. */
const byStage: readonly (readonly [stage: string, priority: number])[] = [["alpha", 1], ["beta", 9], ["", 15]];

/** Versions with another priority. They are upstream's numbers, and decide only about the order in a group. */
const others: Readonly<Record<string, number>> = Object.freeze({
  "v1": 1,
  "events.{domain}/v1beta1": 5,
  "autoscaling/v2": 30,
  "admissionregistration.{domain}/v1beta1": 12,
  "admissionregistration.{domain}/v1alpha1": 9,
  "coordination.{domain}/v1beta1": 13,
  "coordination.{domain}/v1alpha2": 12,
  "discovery.{domain}/v1beta1": 12,
  "flowcontrol.apiserver.{domain}/v1": 21,
  "internal.apiserver.{domain}/v1alpha1": 9,
  "resource.{domain}/v1": 21,
  "resource.{domain}/v1beta2": 15,
  "scheduling.{domain}/v1alpha2": 2,
  "storagemigration.{domain}/v1alpha1": 9,
});

/** Both priorities of versions of custom resources. */
export const customPriorities = Object.freeze({ groupPriorityMinimum: 1000, versionPriority: 100 });

export function versionPriority(names: Names, group: string, version: string): number {
  const written = group === "" ? version : `${group}/${version}`;
  const known = Object.entries(others).find(([each]) => spell(names, each) === written);
  return known?.[1] ?? byStage.find(([stage]) => version.includes(stage))![1]; // the last stage is part of every text
}
