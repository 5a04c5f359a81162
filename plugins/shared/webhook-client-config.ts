/** Rules of the client configuration of webhooks: URL, Service and CA certificates. */
import { type FieldError, invalid, required } from "../../plugin.ts";
import { append, bytesOf, dns1123Subdomain, portNumber } from "../../toolbox.ts";
import { parseReference, urlUser } from "../../core/net/url/parse.ts";
import { textOfBytes } from "../../core/net/url/bytes.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";

/** A Service that is called, in the fields that both groups with webhooks have. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

const form = "; desired format: https://host[/path]";

export function validateWebhookUrl(text: string, path: string): readonly FieldError[] {
  const url = parseReference(text);
  if (url instanceof Unreadable) return [required(path, `url must be a valid URL: ${url.error}${form}`)];
  const errors: FieldError[] = [];
  const { scheme, host, user, fragment, query } = url;
  if (scheme !== "https") errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === "") errors.push(invalid(path, "", `host must be specified${form}`));
  if (user !== undefined) errors.push(invalid(path, urlUser(user), "user information is not permitted in the URL"));
  if (fragment.plain !== "") errors.push(invalid(path, textOfBytes(fragment.plain), "fragments are not permitted in the URL"));
  if (query !== "") errors.push(invalid(path, textOfBytes(query), "query parameters are not permitted in the URL"));
  return errors;
}

/** Name and namespace are swapped in paths, as upstream. */
export function validateService(
  { name, namespace, path: urlPath, port = 0 }: ServiceReference,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (namespace === "") errors.push(required(`${path}.name`, ""));
  if (name === "") errors.push(required(`${path}.namespace`, ""));
  const wrongPort = portNumber(port);
  if (wrongPort.length > 0) errors.push(invalid(`${path}.port`, port, `port is not valid: ${wrongPort.join(", ")}`));
  if (urlPath !== undefined) append(errors, validatePath(urlPath, `${path}.path`));
  return errors;
}

function validatePath(urlPath: string, path: string): readonly FieldError[] {
  if (urlPath === "" || urlPath === "/") return [];
  if (urlPath === "//") return [invalid(path, urlPath, "segment[0] may not be empty")];
  const errors: FieldError[] = [];
  if (!urlPath.startsWith("/")) errors.push(invalid(path, urlPath, "must start with a '/'"));
  const inner = urlPath.slice(1, urlPath.length > 1 && urlPath.endsWith("/") ? -1 : undefined);
  for (const [i, segment] of inner.split("/").entries()) {
    if (errors.length >= segmentErrorsMax) break;
    if (segment === "") errors.push(invalid(path, urlPath, `segment[${i}] may not be empty`));
    else for (const wrong of dns1123Subdomain(segment)) errors.push(invalid(path, urlPath, `segment[${i}]: ${wrong}`));
  }
  return errors;
}
/** Each error shows the whole path. */
const segmentErrorsMax = 64;

const loading = "unable to load root certificates: ";

/** The rules of CA certificates: PEM blocks, one of which is a certificate. */
export function validateCaBundle(base64: string, path: string): readonly FieldError[] {
  const wrong = caMistake(new TextDecoder().decode(bytesOf(base64)));
  return wrong === undefined ? [] : [invalid(path, base64, loading + wrong)];
}

function caMistake(pem: string): string | undefined {
  let certificates = 0, at = 0;
  let malformed: string | undefined;
  for (;;) {
    const begin = pem.indexOf(beginMark, at);
    if (begin < 0) break;
    const typeEnd = pem.indexOf(dashes, begin + beginMark.length);
    const type = typeEnd < 0 ? "" : pem.slice(begin + beginMark.length, typeEnd);
    const endMark = `-----END ${type}-----`;
    const end = type === "" ? -1 : pem.indexOf(endMark, typeEnd);
    if (end < 0) break;
    at = end + endMark.length;
    const body = pem.slice(typeEnd + dashes.length, end);
    if (type !== "CERTIFICATE" || body.includes(":")) continue;
    if (isDer(body)) certificates++;
    else malformed ??= "failed to parse certificate: x509: malformed certificate";
  }
  if (certificates > 0) return undefined;
  if (malformed !== undefined) return malformed;
  return pem.slice(at).trim() === "" ? "no valid certificate authority data seen" : "unable to parse bytes as PEM block";
}
const beginMark = "-----BEGIN ", dashes = "-----";

/** Whether the text is base64 of one DER sequence. The certificate itself is parsed when the webhook is called. */
function isDer(body: string): boolean {
  const text = body.replaceAll(/[\r\n\t ]/g, "");
  if (text === "" || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return false;
  const der = bytesOf(text);
  if (der.length < 2 || der[0] !== 0x30) return false;
  const first = der[1]!, lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4 || der.length < 2 + lengthBytes) return false;
  let length = first < 0x80 ? first : 0;
  for (let i = 0; i < lengthBytes; i++) length = length * 256 + der[2 + i]!;
  return der.length === 2 + lengthBytes + length;
}
