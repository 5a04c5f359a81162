/** For `--plugins`: the release that stores rods in v2. */
import { rodsPlugin } from "./rods.ts";

export const rods = rodsPlugin("v2");
