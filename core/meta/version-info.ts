/** What `/version` answers. */
import { field, type Infer, string, struct } from "../schema.ts";

export const VersionInfo = struct("Info", {
  major: field(0, string, "Major version of the API's behaviour.", { required: true }),
  minor: field(0, string, "Minor version of the API's behaviour.", { required: true }),
  emulationMajor: field(0, string, "Major version that is emulated."),
  emulationMinor: field(0, string, "Minor version that is emulated."),
  minCompatibilityMajor: field(0, string, "Major version of the oldest release that this one can work beside."),
  minCompatibilityMinor: field(0, string, "Minor version of the oldest release that this one can work beside."),
  gitVersion: field(0, string, "The whole version, as clients compare it.", { required: true }),
  gitCommit: field(0, string, "Commit that the server was built from.", { required: true }),
  gitTreeState: field(0, string, "Whether there were changes beside that commit: clean or dirty.", { required: true }),
  buildDate: field(0, string, "When the server was built.", { required: true }),
  goVersion: field(0, string, "Kept for clients; names the runtime.", { required: true }),
  compiler: field(0, string, "Kept for clients; names the runtime's engine.", { required: true }),
  platform: field(0, string, "Operating system and processor, with a slash between.", { required: true }),
}, { package: "apimachinery/version", doc: "What is running." });
export type VersionInfo = Infer<typeof VersionInfo>;
