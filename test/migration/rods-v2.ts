/** For `--plugins`: the release that stores rods in v2. If a file in its data folder says so, it pauses after that many changes. */
import { existsSync, readFileSync } from "node:fs";
import { rodsPlugin } from "./rods.ts";

export const standsStillAfter = "data/stands-still-after";

let changes = 0;
function mayChange(): Promise<void> {
  const most = existsSync(standsStillAfter) ? Number(readFileSync(standsStillAfter, "utf8")) : Infinity;
  return ++changes > most ? new Promise(() => {}) : Promise.resolve();
}

export const rods = rodsPlugin("v2", mayChange);
