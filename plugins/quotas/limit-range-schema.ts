/** The schema of LimitRange (core/v1), and its defaults. */
import { field, type Infer, list, object, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { ResourceList, roundToMillis } from "../shared/volumes/mod.ts";

const home = "core/v1";
const struct = structsOf(home);
type Amounts = Readonly<Record<string, string>>;

interface Bounds {
  readonly type?: string;
  readonly max?: Amounts;
  readonly min?: Amounts;
  readonly default?: Amounts;
  readonly defaultRequest?: Amounts;
}

const rounded = roundToMillis("max", "min", "default", "defaultRequest", "maxLimitRequestRatio");

/** Sets the defaults of containers: the default limit is the maximum; the default request is the default limit, or else the minimum. */
function withDefaults<T extends object>(given: T): T {
  const item: T & Bounds = rounded(given);
  if (item.type !== "Container") return item;
  const limit = { ...item.max, ...item.default };
  const request = { ...item.min, ...limit, ...item.defaultRequest };
  return {
    ...item,
    ...Object.keys(limit).length === 0 ? {} : { default: limit },
    ...Object.keys(request).length === 0 ? {} : { defaultRequest: request },
  };
}

const LimitRangeItem = struct("LimitRangeItem", {
  type: field(1, named("v1.LimitType", string), "What the bounds are for: Container, Pod or PersistentVolumeClaim.", { required: true }),
  max: field(2, ResourceList, "The upper bounds, by resource."),
  min: field(3, ResourceList, "The lower bounds, by resource."),
  default: field(4, ResourceList, "The limits of containers without them, by resource."),
  defaultRequest: field(5, ResourceList, "The requests of containers without them, by resource."),
  maxLimitRequestRatio: field(6, ResourceList, "The upper bounds of a limit divided by its request, by resource."),
}, { doc: "Bounds for objects of one type.", applyDefaults: withDefaults });
export type LimitRangeItem = Infer<typeof LimitRangeItem>;

const LimitRangeSpec = struct("LimitRangeSpec", {
  limits: field(1, list(LimitRangeItem), "The bounds, by type.", { required: true }),
}, { doc: "Bounds for objects of a namespace." });

export const LimitRange = object("LimitRange", {
  spec: field(2, LimitRangeSpec, "The bounds.", { written: "always" }),
}, { package: home, doc: "Bounds for what each claim, pod or container of a namespace requests." });
export type LimitRange = Infer<typeof LimitRange>;
