// Copies the recordings from ../shared/transcripts to test/transcripts/recorded.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./runtimes.mjs";

const from = join(root, "../shared/transcripts");
const to = join(root, "test/transcripts/recorded");

if (!existsSync(from)) {
  console.error("Cannot refresh the recordings: ../shared/transcripts does not exist");
  process.exit(1);
}
mkdirSync(to, { recursive: true });
const areas = readdirSync(from).filter((file) => file.endsWith(".json"));
for (const file of readdirSync(to)) if (file.endsWith(".json") && !areas.includes(file)) rmSync(join(to, file));
for (const file of areas) copyFileSync(join(from, file), join(to, file));
console.log(`${areas.length} areas`);
