/** A request and its answer, as a test reads them. */
import { writeYaml } from "../../core/codec/yaml.ts";
import type { Json } from "../../core/json.ts";
import { jsonFromTree, readJson } from "../../core/tree/json.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { type Sensitivity, withoutSecrets } from "./without-secrets.ts";

/** A request that a server has answered, without secrets. */
export interface RecordedRequest {
  /** The time of the server, in RFC 3339. */
  readonly time: string;
  /** The name of the user; "" if it was not authenticated. */
  readonly user: string;
  /** The groups of the user, for a replay. Absent if it was not authenticated. */
  readonly groups?: readonly string[];
  /** `get`, `list`, `create` and so on; the method in lower case for a path without a resource. */
  readonly verb: string;
  /** The method of HTTP. */
  readonly method: string;
  /** Path and query; the path only, if the query is for a program behind a proxy. */
  readonly url: string;
  /** The body as a value; as text with its length if it is neither JSON nor YAML, or if a proxy has passed it on. Absent without one. */
  readonly body?: Json;
  /** The media type of the body. Absent without one, and for JSON. */
  readonly type?: string;
  /** The encodings that the client accepts. Absent for JSON. */
  readonly accept?: string;
  /** The code of the answer; 0 if the connection was dropped. */
  readonly status: number;
  /** The body of the answer in the same form. Of a watch: its events so far. Absent without one. */
  readonly answer?: Json;
}

const text = new TextDecoder();

/** Returns the value of a body, without secrets. */
export function contentOf(bytes: Uint8Array, contentType: string, sensitivity: Sensitivity): Json | undefined {
  if (bytes.length === 0) return undefined;
  const type = contentType.split(";", 1)[0]!.trim();
  const read = sensitivity === "foreign"
    ? undefined
    : type.endsWith("json")
    ? jsonOf(bytes)
    : type.endsWith("yaml")
    ? yamlOf(bytes)
    : undefined;
  return read === undefined ? `${bytes.length} bytes of ${type || "an unknown type"}` : withoutSecrets(read, sensitivity);
}

/** Returns the events of a watch in JSON. The last one may be incomplete. */
export function eventsOf(bytes: Uint8Array, sensitivity: Sensitivity): Json {
  const lines = text.decode(bytes).split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const read = jsonOf(line);
    return read === undefined ? `${line.length} characters of an event` : withoutSecrets(read, sensitivity);
  });
}

/** The YAML document of a request. */
export function documentOf(request: RecordedRequest): string {
  return `---\n${writeYaml({ ...request })}`;
}

function jsonOf(body: Uint8Array | string): Json | undefined {
  const read = readJson(body);
  return read.ok ? jsonFromTree(read.tree) : undefined;
}
function yamlOf(bytes: Uint8Array): Json | undefined {
  const read = readYaml(text.decode(bytes));
  return read.ok ? jsonFromTree(read.tree) : undefined;
}
