/** The configuration of ImagePolicyWebhook, with kube-apiserver's defaults and ranges. */
import { boolean, field, type FieldError, type Infer, int64, invalid, required, string, struct } from "../../../../plugin.ts";
import type { StepConfiguration } from "../../../../toolbox.ts";
import { durationText } from "../../../../core/scalars/duration.ts";

const home = { package: "" };

const Webhook = struct("ImagePolicyWebhook", {
  kubeConfigFile: field(0, string, "The kubeconfig file with address and credentials for the webhook.", { written: "always" }),
  allowTTL: field(0, int64, "Seconds for which an answer that allows the images is used again. 0: 300; -1: it is not."),
  denyTTL: field(0, int64, "Seconds for which an answer that denies the images is used again. 0: 30; -1: it is not."),
  retryBackoff: field(0, int64, "Milliseconds before the second attempt of a call. 0: 500; -1: there is no pause."),
  defaultAllow: field(0, boolean, "Whether pods are admitted while the webhook cannot be asked."),
}, { ...home, doc: "A webhook that is asked about the images of pods." });
type Webhook = Infer<typeof Webhook>;

const Configuration = struct("ImagePolicyConfiguration", {
  imagePolicy: field(0, Webhook, "The webhook.", { written: "always" }),
}, { ...home, doc: "The configuration of ImagePolicyWebhook." });
export type ImagePolicyConfiguration = Infer<typeof Configuration>;

/** A range of kube-apiserver in milliseconds, and the number of milliseconds in a unit of the configuration. */
interface Range {
  readonly unit: number;
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}
const minute = 60_000, nanosecond = 1e-6;
const ranges = Object.freeze({
  retryBackoff: { unit: 1, least: nanosecond, most: 5 * minute, usual: 500 },
  allowTTL: { unit: 1_000, least: 1_000, most: 30 * minute, usual: 5 * minute },
  denyTTL: { unit: 1_000, least: 1_000, most: 30 * minute, usual: minute / 2 },
});
type Ranged = keyof typeof ranges;

function validate({ imagePolicy }: ImagePolicyConfiguration): readonly FieldError[] {
  const wrong = (Object.keys(ranges) as Ranged[]).flatMap((name) => { // the keys of the table
    const given = Number(imagePolicy[name] ?? 0), { unit, least, most }: Range = ranges[name], ms = given * unit;
    if (given === 0 || given === -1 || (ms >= least && ms <= most)) return [];
    return [invalid(`imagePolicy.${name}`, given, `valid value is between ${text(least)} and ${text(most)}, got ${text(ms)}`)];
  });
  return imagePolicy.kubeConfigFile === "" ? [required("imagePolicy.kubeConfigFile", ""), ...wrong] : wrong;
}

function text(milliseconds: number): string {
  return durationText(BigInt(Math.round(milliseconds * 1e6)));
}

/** Milliseconds of a value of the configuration; 0 for one that is switched off. */
export function millisecondsOf({ imagePolicy }: ImagePolicyConfiguration, name: Ranged): number {
  const given = Number(imagePolicy[name] ?? 0), { unit, usual } = ranges[name];
  return given === 0 ? usual : given === -1 ? 0 : given * unit;
}

export const configuration: StepConfiguration<ImagePolicyConfiguration> = {
  kind: "",
  group: "",
  versions: [],
  schema: Configuration,
  validate,
  isRequired: true,
  kubeconfig: ({ imagePolicy }) => imagePolicy.kubeConfigFile,
};
