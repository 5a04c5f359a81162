/** The file of --encryption-provider-config, as kube-apiserver reads it: which resources are encrypted in the store, and with which keys. */
import { append } from "../../core/append.ts";
import { ConfigError } from "../config/parse.ts";
import { readConfigObject } from "../../core/config/config-object.ts";
import { type FieldError, fieldErrorText, invalid, required } from "../../core/field-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { duration, field, type Infer, int32, list, string, struct } from "../../core/schema.ts";
import { readWholeText } from "../../protocols/files/bounded-files.ts";
import { bound } from "../../core/bound.ts";
import { bytesOf, parseBase64 } from "../../core/scalars/base64.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";
import { type LocalProvider, secretBytes } from "./ciphers.ts";
import { kmsMistakes, type KmsSettings, kmsTimeoutMs } from "./kms/settings.ts";
import { kmsPlugin } from "./kms/plugin.ts";
import { type KmsProvider, kmsProvider } from "./kms/provider.ts";
import { kmsKey, Transformer, type ValueKey, valueKey } from "./transformer.ts";

/** Bytes of the file of --encryption-provider-config. */
const encryptionFileBytesMax = bound(1024 * 1024);
/** Keys in the file of --encryption-provider-config. */
const encryptionKeysMax = bound(1_000);

const Key = struct("Key", {
  name: field(0, string, "Name of the key.", { written: "always" }),
  secret: field(0, string, "The key, in base64.", { written: "always" }),
});
type Key = Infer<typeof Key>;
const Keys = struct("KeysConfiguration", { keys: field(0, list(Key), "The keys; the first encrypts.") });
const Kms = struct("KMSConfiguration", {
  apiVersion: field(0, string, "Version of the plugin's API: v2."),
  name: field(0, string, "Name of the plugin, which stands before each value.", { written: "always" }),
  cachesize: field(0, int32, "Not used by v2.", { pointer: true }),
  endpoint: field(0, string, "The plugin's socket: unix:///path.", { written: "always" }),
  timeout: field(0, duration, "Time of one call. Default: 3s.", { pointer: true }),
});
const Provider = struct("ProviderConfiguration", {
  aesgcm: field(0, Keys, "AES in Galois/Counter mode.", { pointer: true }),
  aescbc: field(0, Keys, "AES in cipher block chaining mode.", { pointer: true }),
  secretbox: field(0, Keys, "XSalsa20 and Poly1305.", { pointer: true }),
  identity: field(0, struct("IdentityConfiguration", {}), "No encryption.", { pointer: true }),
  kms: field(0, Kms, "Keys of a key management service.", { pointer: true }),
});
type Provider = Infer<typeof Provider>;
const Resources = struct("ResourceConfiguration", {
  resources: field(0, list(string), "The resources that are encrypted."),
  providers: field(0, list(Provider), "The providers; the first encrypts."),
});
const Configuration = Object.freeze(
  { ...struct("EncryptionConfiguration", { resources: field(0, list(Resources), "Providers by resource.") }), typeMeta: true } as const,
);
type Configuration = Infer<typeof Configuration>;

const locals = ["aesgcm", "aescbc", "secretbox"] as const satisfies readonly LocalProvider[];

/** The content of a file that has been checked. */
export interface EncryptionConfiguration {
  /** The transformer of a resource; undefined if the file does not name it. */
  transformerOf(group: string, resource: string): Transformer | undefined;
  /** Every key of the file, for values whose resource is not known. */
  readonly all: Transformer;
  /** The KMS plugins, in the order of the file. They have no connection before the first call. */
  readonly kms: readonly KmsProvider[];
}

export interface ReadOptions {
  /** Whether values are only read, so that providers without keys, and KMS v1, are left out. Default: they are a mistake. */
  readonly onlyReads?: boolean;
  /** Makes the provider of a KMS plugin. Default: one without metrics. */
  readonly kms?: (settings: KmsSettings) => KmsProvider;
}

/** A file and what is in it. */
export interface ReadFile {
  readonly text: string;
  readonly configuration: EncryptionConfiguration;
}

/** Rejects with a ConfigError with every mistake for a file that cannot be read in time or used. Secrets are in no message. */
export async function readEncryptionFile(path: string, options?: ReadOptions): Promise<ReadFile> {
  const mistake = (text: string) => `--encryption-provider-config "${path}": ${text}`;
  let read: EncryptionConfiguration | readonly FieldError[], text: string;
  try {
    text = await readWholeText(path, encryptionFileBytesMax);
    read = encryptionIn(text, options);
  } catch (error) {
    throw new ConfigError([mistake(reasonOf(error))]);
  }
  if (isErrors(read)) throw new ConfigError(read.map((error) => mistake(fieldErrorText(error))));
  return { text, configuration: read };
}
function isErrors(read: EncryptionConfiguration | readonly FieldError[]): read is readonly FieldError[] {
  return Array.isArray(read);
}

/** As `readEncryptionFile`, of the text of a file. Returns the mistakes of its values, and throws an error for a text of another form. */
export function encryptionIn(
  text: string,
  { onlyReads = false, kms = plainProvider }: ReadOptions = {},
): EncryptionConfiguration | readonly FieldError[] {
  const { resources } = readConfigObject<Configuration>(text, {
    kind: "EncryptionConfiguration",
    group: "apiserver.config.k8s.io",
    versions: ["v1"],
    schema: Configuration,
  });
  const rows = resources ?? [];
  const count = rows.flatMap(({ providers }) => providers ?? []).reduce((sum, each) => sum + keysOf(each).length, 0);
  if (count > encryptionKeysMax) throw new Error(`it has ${count} keys, more than ${encryptionKeysMax}`);
  const errors = rows.length === 0 ? [required("resources", "at least one resources is required")] : rows.flatMap((row, index) => [
    ...resourceErrors(row.resources ?? [], `resources[${index}].resources`),
    ...providerErrors(row.providers ?? [], `resources[${index}].providers`, onlyReads),
    ...hiddenErrors(row.resources ?? [], rows.slice(0, index).flatMap(({ resources }) => resources ?? []), `resources[${index}].resources`),
  ]);
  const repeated = repeatedErrors(rows);
  if (errors.length + repeated.length > 0) return [...errors, ...repeated];
  return compiled(rows, kms);
}

function plainProvider({ name, endpoint, timeoutMs }: KmsSettings): KmsProvider {
  return kmsProvider({ name, timeoutMs, plugin: kmsPlugin({ endpoint, timeoutMs }) });
}

/** Names of KMS plugins that are used twice: a value could not name its plugin. */
function repeatedErrors(rows: readonly Infer<typeof Resources>[]): readonly FieldError[] {
  const names = new Set<string>();
  return rows.flatMap(({ providers }, row) =>
    (providers ?? []).flatMap(({ kms }, index): readonly FieldError[] => {
      if (kms == null || !names.has(kms.name)) {
        if (kms != null) names.add(kms.name);
        return [];
      }
      return [invalid(`resources[${row}].providers[${index}].kms.name`, kms.name, "another KMS provider has this name")];
    })
  );
}

function keysOf(provider: Provider): readonly Key[] {
  return locals.flatMap((name) => provider[name]?.keys ?? []);
}

interface GroupResource {
  readonly group: string;
  readonly resource: string;
}
/** `deployments.apps`, `*.apps`, `*.` for the group without a name, `secrets`. */
function groupResourceOf(text: string): GroupResource {
  const dot = text.indexOf(".");
  return dot < 0 ? { group: "", resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

/** What kube-apiserver stores beside objects: the names under which its wildcards include them, by the keys. No row can name one alone. */
export const namesWithoutKind: ReadonlyMap<string, string> = new Map([
  ["masterleases", "apiserveripinfo"],
  ["ranges/serviceips", "serviceipallocations"],
  ["ranges/servicenodeports", "servicenodeportallocations"],
]);
const withoutApi: ReadonlySet<string> = new Set(namesWithoutKind.values());

function resourceErrors(resources: readonly string[], path: string): readonly FieldError[] {
  if (resources.length === 0) return [required(path, `at least one ${path} is required`)];
  const parsed = resources.map(groupResourceOf);
  const errors: FieldError[] = [];
  if (new Set(resources).size < resources.length) errors.push(invalid(path, resources, "a resource is named twice"));
  if (parsed.some((one, index) => parsed.some((other, at) => at !== index && covers(one, other)))) {
    errors.push(invalid(path, resources, "resources overlap, such as secrets and *."));
  }
  resources.forEach((text, index) => {
    const { group, resource } = parsed[index]!, wrong = (detail: string) => errors.push(invalid(`${path}[${index}]`, text, detail));
    if (text !== text.toLowerCase()) wrong("must not contain capital letters");
    else if (text === "*") wrong("use *. for the group without a name, or *.* for all resources");
    else if (withoutApi.has(text)) wrong("has no API and cannot be encrypted");
    else if (group === "events.k8s.io") wrong("objects of events.k8s.io are stored as events: name these");
    else if (group === "extensions") wrong("the group extensions does not exist any more");
    else if (group === "*" && resource !== "*") wrong("one resource of all groups cannot be named");
  });
  return errors;
}
/** Names that an earlier row hides: they would seem to be encrypted with other keys than they are. */
function hiddenErrors(resources: readonly string[], earlier: readonly string[], path: string): readonly FieldError[] {
  const rules = earlier.filter((text) => text.startsWith("*"));
  return resources.flatMap((text, index): readonly FieldError[] => {
    const rule = rules.find((each) => each === text || covers(groupResourceOf(each), groupResourceOf(text)));
    return rule === undefined ? [] : [invalid(`${path}[${index}]`, text, `is hidden by the earlier rule ${goQuote(rule)}`)];
  });
}

/** Whether a name stands for the other one and more. */
function covers(one: GroupResource, other: GroupResource): boolean {
  if (one.resource !== "*" || (one.resource === other.resource && one.group === other.group)) return false;
  return one.group === "*" || one.group === other.group;
}

function providerErrors(providers: readonly Provider[], path: string, onlyReads: boolean): readonly FieldError[] {
  if (providers.length === 0) return [required(path, `at least one ${path} is required`)];
  return providers.flatMap((provider, index): readonly FieldError[] => {
    const at = `${path}[${index}]`, named = [...locals, "identity", "kms"] as const, given = named.filter((name) => provider[name] != null);
    if (given.length === 0) return [required(at, `must have one of ${named.toSorted().join(", ")}`)];
    if (given.length > 1) return [invalid(at, given, "must have one provider: write several as several elements")];
    const [only] = given;
    if (only === "kms") return onlyReads && provider.kms!.apiVersion !== "v2" ? [] : kmsMistakes(provider.kms!, `${at}.kms`);
    return only === "identity" || only === undefined
      ? []
      : keyErrors(provider[only]?.keys ?? [], `${at}.${only}.keys`, secretBytes[only], onlyReads);
  });
}

function keyErrors(keys: readonly Key[], path: string, lengths: readonly number[], onlyReads: boolean): readonly FieldError[] {
  if (keys.length === 0) return onlyReads ? [] : [required(path, "at least one key is required")];
  return keys.flatMap(({ name, secret }, index): readonly FieldError[] => {
    const at = `${path}[${index}]`, errors: FieldError[] = [];
    if (name === "") errors.push(required(`${at}.name`, "a key needs a name"));
    if (secret === "") return [...errors, required(`${at}.secret`, "a key needs a secret")];
    const bytes = secretOf(secret), wrong = (detail: string) => errors.push(invalid(`${at}.secret`, "REDACTED", detail));
    if (bytes === undefined) wrong("must be base64");
    else if (!lengths.includes(bytes.length)) wrong(`has ${bytes.length} bytes: expected ${lengths.join(", ")}`);
    return errors;
  });
}

/** Rows of one resource add up. */
function compiled(rows: readonly Infer<typeof Resources>[], kmsOf: (settings: KmsSettings) => KmsProvider): EncryptionConfiguration {
  const keys = new Map<string, ValueKey[]>(), nameOf = ({ group, resource }: GroupResource) => `${resource}.${group}`;
  const kms: KmsProvider[] = [];
  const keysOf = ({ kms: plugin, ...local }: Provider): readonly ValueKey[] => {
    if (plugin == null) return valueKeys(local);
    if (plugin.apiVersion !== "v2") return [];
    const { name, endpoint } = plugin, provider = kmsOf({ name, endpoint, timeoutMs: kmsTimeoutMs(plugin) });
    kms.push(provider);
    return [kmsKey(name, provider.cipher)];
  };
  for (const { resources, providers } of rows) {
    const made = (providers ?? []).flatMap(keysOf);
    for (const named of (resources ?? []).map(groupResourceOf)) {
      const name = nameOf(named), before = keys.get(name);
      if (before === undefined) keys.set(name, [...made]);
      else append(before, made);
    }
  }
  const transformers = new Map([...keys].map(([name, each]) => [name, new Transformer(each)]));
  return {
    transformerOf: (group, resource) =>
      transformers.get(nameOf({ group, resource })) ?? transformers.get(nameOf({ group, resource: "*" })) ?? transformers.get("*.*"),
    all: new Transformer([undefined, ...[...keys.values()].flat()]),
    kms,
  };
}

function valueKeys(provider: Omit<Provider, "kms">): readonly ValueKey[] {
  if (provider.identity != null) return [undefined];
  return locals.flatMap((local) => (provider[local]?.keys ?? []).map(({ name, secret }) => valueKey(local, name, secretOf(secret)!)) // has been checked
  );
}

function secretOf(base64: string): Uint8Array | undefined {
  const text = parseBase64(base64);
  return text instanceof Unreadable ? undefined : bytesOf(text);
}
