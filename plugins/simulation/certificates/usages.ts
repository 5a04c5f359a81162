/** Usages of certificates as certificates have them. */

/** The bit of each key usage (RFC 5280, 4.2.1.3). */
const keyUsages: Readonly<Record<string, number>> = Object.freeze({
  "signing": 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
});

/** The object identifier of each extended key usage. */
const extendedUsages: Readonly<Record<string, string>> = Object.freeze({
  "any": "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  "timestamping": "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
});

/** Returns the two extensions of usages: the bits of the one, and the identifiers of the other, each once. */
export function usageExtensions(
  usages: readonly string[],
): { readonly keyUsage: readonly number[]; readonly extendedKeyUsages: readonly string[] } {
  const bits = usages.map((usage) => keyUsages[usage]).filter((bit) => bit !== undefined);
  const identifiers = usages.map((usage) => extendedUsages[usage]).filter((identifier) => identifier !== undefined);
  return { keyUsage: [...new Set(bits)].sort(), extendedKeyUsages: [...new Set(identifiers)].sort() };
}
