// Writes the pages that are made of definitions: `npm run docs`.
import { writeFile } from "node:fs/promises";
import { configurationPage } from "./configuration-page.ts";
import { metricsPage } from "./metrics-page.ts";

await writeFile(new URL("../../docs/metrics.md", import.meta.url), metricsPage());
await writeFile(new URL("../../docs/configuration.md", import.meta.url), configurationPage());
