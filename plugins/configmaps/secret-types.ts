/** The built-in types of Secrets, and the keys that each type requires. */
import { type FieldError, invalid, required, tooLong } from "../../plugin.ts";
import { append, type Base64, bytesOf, type Names, type ObjectMeta, spell } from "../../toolbox.ts";
import { notAMap } from "../../core/tree/go-errors.ts";
import { readJson } from "../../core/tree/json.ts";
import { decodedLength, validateKey } from "./values.ts";
import { configBytesMax } from "./bounds.ts";

export interface SecretTypes {
  readonly serviceAccountToken: string;
  readonly dockercfg: string;
  readonly dockerConfigJson: string;
  readonly basicAuth: string;
  readonly sshAuth: string;
  readonly tls: string;
}

/** The names of the types that have rules. Other types, such as `Opaque`, have none. */
export function secretTypes({ platform }: Names): SecretTypes {
  return {
    serviceAccountToken: `${platform}.io/service-account-token`,
    dockercfg: `${platform}.io/dockercfg`,
    dockerConfigJson: `${platform}.io/dockerconfigjson`,
    basicAuth: `${platform}.io/basic-auth`,
    sshAuth: `${platform}.io/ssh-auth`,
    tls: `${platform}.io/tls`,
  };
}

type Data = Readonly<Record<string, Base64>>;
interface Typed {
  readonly metadata: ObjectMeta;
  readonly data?: Data;
  readonly type?: string;
}

/** Checks the keys, the total size, and the requirements of the type, in upstream's order. */
export function validateData(secret: Typed, names: Names): readonly FieldError[] {
  const { data = {} } = secret;
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    append(errors, validateKey(key, "data"));
    size += decodedLength(value);
  }
  if (size > configBytesMax) errors.push(tooLong("data", configBytesMax));
  return [...errors, ...validateByType(secret, data, names)];
}

function validateByType({ metadata, type }: Typed, data: Data, names: Names): readonly FieldError[] {
  const types = secretTypes(names);
  switch (type) {
    case types.serviceAccountToken: {
      const key = spell(names, "{platform}.io/service-account.name");
      const annotations = metadata.annotations ?? {};
      return Object.hasOwn(annotations, key) && annotations[key] !== "" ? [] : [required(`metadata.annotations[${key}]`, "")];
    }
    case types.dockercfg:
      return validateJsonObject(data, ".dockercfg");
    case types.dockerConfigJson:
      return validateJsonObject(data, ".dockerconfigjson");
    case types.basicAuth:
      return Object.hasOwn(data, "username") || Object.hasOwn(data, "password") ? [] : [missing("username"), missing("password")];
    case types.sshAuth:
      return (data["ssh-privatekey"] ?? "") === "" ? [missing("ssh-privatekey")] : [];
    case types.tls:
      return ["tls.crt", "tls.key"].filter((key) => !Object.hasOwn(data, key)).map(missing);
    default:
      return [];
  }
}

function missing(key: string): FieldError {
  return required(`data[${key}]`, "");
}

function validateJsonObject(data: Data, key: string): readonly FieldError[] {
  if (!Object.hasOwn(data, key)) return [missing(key)];
  const read = readJson(bytesOf(data[key]!));
  const problem = read.ok ? notAMap(read.tree) : read.error;
  // The error must not show the content.
  return problem === undefined ? [] : [invalid(`data[${key}]`, "<secret contents redacted>", problem)];
}
