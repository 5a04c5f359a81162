/** The settings of emulation: an older release, and how much of newer ones is served all the same. */
import { compareReleases, oldestRelease, type Release, type Releases, releasesFor, serverRelease } from "../../core/releases.ts";
import { bool, type Change, fixed, type Going, type Kind, list, type Setting } from "./setting.ts";
import { valueText } from "../../core/value-text.ts";

export interface EmulationConfig {
  readonly "emulated-version": readonly string[];
  readonly "min-compatibility-version": readonly string[];
  readonly "emulation-forward-compatible": boolean;
  readonly "runtime-config-emulation-forward-compatible": boolean;
}
type Rows = { readonly [Name in keyof EmulationConfig]: Setting<Kind, EmulationConfig[Name]> & Change & Going };

const isReported = "metrics and /version are made once, at start";

export const emulationSettings: Rows = Object.freeze({
  "emulated-version": fixed(
    isReported,
    list(
      `Release whose kinds, gates, warnings and metrics the server has, ${oldestRelease} to ${serverRelease}: <major>.<minor>, or kube=<major>.<minor>; ` +
        `empty: ${serverRelease}.`,
    ),
  ),
  "min-compatibility-version": fixed(
    isReported,
    list(
      "Oldest release that must be able to read what is stored: decides stored versions, and the libraries of new CEL expressions. At most " +
        "--emulated-version; empty: the release before it.",
    ),
  ),
  "emulation-forward-compatible": fixed(
    isReported,
    bool(false, "With --emulated-version: also serve newer, more stable versions of the beta and GA kinds that are served."),
  ),
  "runtime-config-emulation-forward-compatible": fixed(
    isReported,
    bool(false, "With --emulated-version: --runtime-config can name versions that are newer than it."),
  ),
});

/** The releases of settings without mistakes. */
export function releasesOf(config: EmulationConfig): Releases {
  return readReleases(config, []);
}

/** Returns the mistakes in the settings of emulation, with upstream's messages. */
export function emulationMistakes(config: EmulationConfig): readonly string[] {
  const mistakes: string[] = [];
  const { emulated, minCompatibility } = readReleases(config, mistakes);
  if (mistakes.length > 0) return mistakes;
  if (compareReleases(emulated, serverRelease) > 0 || compareReleases(emulated, oldestRelease) < 0) {
    mistakes.push(`emulation version ${emulated} is not between [${oldestRelease}, ${serverRelease}.0]`);
  }
  if (compareReleases(minCompatibility, emulated) > 0 || compareReleases(minCompatibility, oldestRelease) < 0) {
    mistakes.push(`minCompatibilityVersion version ${minCompatibility} is not between [${oldestRelease}, ${emulated}]`);
  }
  if (emulated === serverRelease) {
    for (
      const [flag, name] of [
        ["emulation-forward-compatible", "EmulationForwardCompatible"],
        ["runtime-config-emulation-forward-compatible", "RuntimeConfigEmulationForwardCompatible"],
      ] as const
    ) {
      if (config[flag]) {
        mistakes.push(`ServerRunOptions.${name} cannot be set to true if the emulation version is the same as the binary version`);
      }
    }
  }
  return mistakes;
}

function readReleases(config: EmulationConfig, mistakes: string[]): Releases {
  const emulated = releaseOf(config["emulated-version"], mistakes) ?? serverRelease;
  return releasesFor(emulated, releaseOf(config["min-compatibility-version"], mistakes));
}

/** The component of flags that name one: `kube=1.34`. */
export const kubeComponent = "kube";

/** The release of words such as `1.34` and `kube=1.34`; undefined for none, and for mistakes. */
function releaseOf(words: readonly string[], mistakes: string[]): Release | undefined {
  const texts: string[] = [];
  for (const word of words) {
    const equals = word.indexOf("=");
    if (equals >= 0 && word.slice(0, equals) !== kubeComponent) {
      mistakes.push(`component not registered: ${word.slice(0, equals)}`);
      return undefined;
    }
    texts.push(word.slice(equals + 1));
  }
  const [first, second] = texts;
  if (first !== undefined && second !== undefined) {
    mistakes.push(`duplicate version flag, ${kubeComponent}=${first} and ${kubeComponent}=${second}`);
    return undefined;
  }
  return first === undefined ? undefined : minorRelease(first, mistakes);
}

function minorRelease(text: string, mistakes: string[]): Release | undefined {
  const [major = "", minor, patch, ...more] = (text.startsWith("v") ? text.slice(1) : text).split(".");
  const numbers = [major, minor ?? "0", patch ?? "0"];
  if (more.length > 0 || !numbers.every((each) => /^(0|[1-9][0-9]{0,3})$/.test(each))) {
    mistakes.push(`could not parse ${valueText(text)} as version`);
  } else if (minor === undefined) mistakes.push(`illegal version string ${valueText(text)}`);
  else if (Number(patch ?? 0) !== 0) mistakes.push(`patch version not allowed, got: ${kubeComponent}=${text}`);
  else return `${major}.${minor}`;
  return undefined;
}
