/** For `--plugins`: the release before v2. */
import { rodsPlugin } from "./rods.ts";

export const rods = rodsPlugin("v1", () => Promise.resolve(), "absent");
