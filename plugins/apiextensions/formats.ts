/** The formats of strings that schemas of custom resources support (1.34 and later). Other formats are ignored, with a warning. */
const stringFormats = new Set(
  ("bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte " +
    "password date duration datetime k8sshortname k8slongname").split(" "),
);

/** Whether values of the type are validated by the format. Dashes in formats of strings are ignored. */
export function isKnownFormat(type: string, format: string): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  return (type === "" || type === "string") && stringFormats.has(format.replaceAll("-", ""));
}
