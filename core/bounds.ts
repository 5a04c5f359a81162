/** Bounds that several files of this folder keep. */
import { bound } from "./bound.ts";

/** Maximum nesting of a JSON or CBOR document, and of a YAML document after expansion of its aliases. */
export const documentDepthMax = bound(10_000);
/** Maximum nesting of structs in decoders. Only recursive schemas come near it: those of definitions, whose folds are recursive. */
export const typedDepthMax = bound(500);
/** Maximum number of unknown and duplicate fields that are reported for one body. The number is that of upstream's decoder. */
export const strictFindingsMax = bound(100);
/** Total UTF-16 units of the validation errors of one object. A response has at least one error. */
export const fieldErrorsLengthMax = bound(1024 * 1024);
/** Bits of the longest RSA key of a client certificate or an issuer (Go's crypto/tls). */
export const rsaKeyBitsMax = bound(8192);
/** Certificates of a client's chain that are read, including the client certificate. */
export const peerChainLengthMax = bound(16);
/** UTF-16 units of one string in the log. */
export const logTextLengthMax = bound(4096);
