// Writes the generated pages: `npm run docs`.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { configurationSchema } from "../../server/config/json-schema.ts";
import { manPage } from "./man-page.ts";
import { admissionPage } from "./admission-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { deprecationPage } from "./deprecation-page.ts";
import { errorsPage } from "./errors-page.ts";
import { kindsPage } from "./kinds-page.ts";
import { limitsPage } from "./limits-page.ts";
import { metricsPage } from "./metrics-page.ts";
import { pluginReference } from "./plugin-reference.ts";
import { removedApisPage } from "./removed-apis-page.ts";
import { schemaPage } from "./schema-page.ts";
import { roadmapPage } from "./roadmap-page.ts";
import { measuredPage, measuredPages, newestResults, readmeWithComparison } from "./performance-page.ts";
import { performancePictures, pictureNames } from "./performance-pictures.ts";
import { testControlPage } from "./test-control-page.ts";
import { plainSettingsType } from "./plain-settings-type.ts";

await writeFile(new URL("../../docs/metrics.md", import.meta.url), metricsPage());
await writeFile(new URL("../../docs/configuration.md", import.meta.url), configurationPage());
await writeFile(new URL("../../docs/plugin-reference.md", import.meta.url), pluginReference());
await writeFile(new URL("../../docs/schema-language.md", import.meta.url), schemaPage());
await writeFile(new URL("../../docs/kinds.md", import.meta.url), kindsPage());
await writeFile(new URL("../../docs/limits.md", import.meta.url), limitsPage());
await writeFile(new URL("../../docs/removed-apis.md", import.meta.url), removedApisPage());
await writeFile(new URL("../../docs/deprecation-policy.md", import.meta.url), await deprecationPage());
await writeFile(new URL("../../docs/errors.md", import.meta.url), errorsPage());
await mkdir(new URL("../../man/", import.meta.url), { recursive: true });
await writeFile(new URL("../../man/thole.1", import.meta.url), manPage());
await writeFile(new URL("../../thole.schema.json", import.meta.url), `${JSON.stringify(configurationSchema(), undefined, 2)}\n`);
await writeFile(new URL("../../server/config/plain-settings-type.ts", import.meta.url), plainSettingsType());
const admission = new URL("../../docs/admission.md", import.meta.url);
await writeFile(admission, admissionPage(await readFile(admission, "utf8")));
const testing = new URL("../../docs/testing.md", import.meta.url);
await writeFile(testing, testControlPage(await readFile(testing, "utf8")));
const roadmap = new URL("../../docs/roadmap.md", import.meta.url);
const missing = await readFile(new URL("../../docs/not-implemented.md", import.meta.url), "utf8");
await writeFile(roadmap, roadmapPage(await readFile(roadmap, "utf8"), missing));
const newest = newestResults();
const readme = new URL("../../README.md", import.meta.url);
if (newest !== undefined) {
  const { release, kept } = newest, pictures = performancePictures(kept);
  for (const path of Object.keys(measuredPages)) {
    const page = new URL(`../../docs/${path}`, import.meta.url);
    await writeFile(page, measuredPage(path, await readFile(page, "utf8"), release, kept));
  }
  await writeFile(readme, readmeWithComparison(await readFile(readme, "utf8"), kept));
  for (const key of ["comparison", "latency", "watches", "memory"] as const) {
    const file = new URL(`../../docs/pictures/${pictureNames[key]}.svg`, import.meta.url), picture = pictures[key];
    await (picture === undefined ? rm(file, { force: true }) : writeFile(file, picture.svg));
  }
}
