/** Warnings of jobs and of the templates of cron jobs, with upstream's texts. */
import { dns1123Label, type Names } from "../../toolbox.ts";
import { warnOfPodTemplate } from "../shared/pod/warnings.ts";
import { completionsSoftMax, parallelismWithManyCompletionsMax } from "./bounds.ts";
import type { JobSpec } from "./job-schema.ts";

/** Warns about a name that pods cannot have as host name. */
export function warnOfName(name = ""): readonly string[] {
  const wrong = dns1123Label(name);
  const text = "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return wrong.length === 0 ? [] : [`metadata.name: ${text}: [${wrong.join(" ")}]`];
}

export function warnOfJobSpec(spec: JobSpec, path: string, names: Names): readonly string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec;
  const hasMany = completions > completionsSoftMax && parallelism > parallelismWithManyCompletionsMax;
  const text =
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be " +
    "able to track completedIndexes when a big number of indexes fail";
  return [
    ...(completionMode === "Indexed" && hasMany ? [`${path}: ${text}`] : []),
    ...warnOfPodTemplate(template, `${path}.template`, names),
  ];
}
