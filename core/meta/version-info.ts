/** The response of `/version`. */
import { field, type Infer, string, struct } from "../schema.ts";

export const VersionInfo = struct("Info", {
  major: field(0, string, "Major version of the API's behaviour.", { required: true }),
  minor: field(0, string, "Minor version of the API's behaviour.", { required: true }),
  emulationMajor: field(0, string, "Emulated major version."),
  emulationMinor: field(0, string, "Emulated minor version."),
  minCompatibilityMajor: field(0, string, "Major version of the oldest compatible release."),
  minCompatibilityMinor: field(0, string, "Minor version of the oldest compatible release."),
  gitVersion: field(0, string, "Full version, as compared by clients.", { required: true }),
  gitCommit: field(0, string, "Commit of the build.", { required: true }),
  gitTreeState: field(0, string, "State of the source tree at the build: clean or dirty.", { required: true }),
  buildDate: field(0, string, "Time of the build.", { required: true }),
  goVersion: field(0, string, "Name of the runtime; the key is kept for clients.", { required: true }),
  compiler: field(0, string, "Name of the JavaScript engine; the key is kept for clients.", { required: true }),
  platform: field(0, string, "Operating system and processor, separated by a slash.", { required: true }),
}, { package: "apimachinery/version", doc: "Version of the server." });
export type VersionInfo = Infer<typeof VersionInfo>;
