/** The kernel's name for a `ClientCertificate`. */
export type { ClientCertificate as PeerCertificate } from "../../core/authentication.ts";
