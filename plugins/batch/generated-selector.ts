/** The selector and the labels that the server generates for a new job, so that its pods belong to no other one. */
import { type Names, type ObjectMeta, spell } from "../../toolbox.ts";
import type { Job } from "./job-schema.ts";

type Labels = Readonly<Record<string, string>>;

/** The labels of the pods of a job, in the order of upstream's errors. Those without a prefix are of old releases. */
export function generatedLabels({ uid = "", name = "" }: ObjectMeta, names: Names) {
  const prefix = spell(names, "batch.{platform}.io/");
  return [
    { key: "controller-uid", value: uid, isPrefixed: false },
    { key: "job-name", value: name, isPrefixed: false },
    { key: `${prefix}controller-uid`, value: uid, isPrefixed: true },
    { key: `${prefix}job-name`, value: name, isPrefixed: true },
  ] as const;
}

/** The job with generated labels and selector. Labels of the client stay: validation rejects those that contradict. */
export function withGeneratedSelector(job: Job, names: Names): Job {
  const { metadata, spec } = job, { template, selector = {} } = spec;
  const own = template.metadata.labels;
  const labels: Labels = { ...Object.fromEntries(generatedLabels(metadata, names).map(({ key, value }) => [key, value])), ...own };
  const [, , { key, value }] = generatedLabels(metadata, names);
  return {
    ...job,
    // The default of the labels of a job are those of the template, with what is added to them.
    ...(metadata.labels === own ? { metadata: { ...metadata, labels } } : {}),
    spec: {
      ...spec,
      selector: { ...selector, matchLabels: { [key]: value, ...selector.matchLabels } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** Metadata without labels that are those of the template by default. As upstream, these are validated as labels of the template only. */
export function withoutDefaultLabels(metadata: ObjectMeta, names: Names): ObjectMeta {
  const { labels = {}, ...rest } = metadata, generated = generatedLabels(metadata, names);
  const isDefault = Object.keys(labels).length === generated.length && generated.every(({ key, value }) => labels[key] === value);
  return isDefault ? rest : metadata;
}
