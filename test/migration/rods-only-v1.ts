/** For `--plugins`: the release before v2. */
import { rodsReleases } from "./rods.ts";

export const rods = rodsReleases["before v2"];
