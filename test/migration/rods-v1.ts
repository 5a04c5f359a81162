/** For `--plugins`: the release that stored rods in v1. */
import { rodsPlugin } from "./rods.ts";

export const rods = rodsPlugin("v1");
