import type { Admission } from "../../plugin.ts";
import { type PriorityClass, priorityClasses } from "./priority-class.ts";

/** Rejects a second class that is the default. The name is that of upstream's admission plugin. */
export const priorityAdmission: Admission<PriorityClass> = {
  name: "Priority",
  resources: [priorityClasses],
  async refuse(next, prior, { read }) {
    if (next.globalDefault !== true) return undefined;
    // `as`: the type of the resource `priorityclasses`.
    const classes = await read.list("scheduling.{domain}/v1", "priorityclasses", "") as readonly PriorityClass[];
    const defaults = classes.filter(({ globalDefault }) => globalDefault === true);
    const [lowest] = defaults.toSorted((a, b) => a.value - b.value);
    if (lowest === undefined || (prior !== undefined && lowest.metadata.name === next.metadata.name)) return undefined;
    return `PriorityClass ${lowest.metadata.name} is already marked as default. Only one default can exist`;
  },
};
