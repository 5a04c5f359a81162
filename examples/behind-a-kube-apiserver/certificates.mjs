// Certificates for one machine, by openssl. A cluster has its own: kubeadm or cert-manager makes them there.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

function openssl(folder, ...args) {
  const { status, stderr, error } = spawnSync("openssl", args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl ${args.join(" ")}: ${error?.message ?? stderr}`);
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** A CA in NAME.crt and NAME.key. */
export function authority(folder, name) {
  openssl(folder, "req", "-x509", ...newKey, "-days", "30", "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.crt`);
}

/** A certificate of this CA in NAME.crt and NAME.key: for a server with these names, or for a client. */
export function certificate(folder, { ca, name, names }) {
  const use = names === undefined ? "clientAuth" : "serverAuth";
  const alternatives = names === undefined ? "" : `subjectAltName=${names.join(",")}\n`;
  writeFileSync(join(folder, `${name}.extensions`), `extendedKeyUsage=${use}\n${alternatives}`);
  openssl(folder, "req", ...newKey, "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`);
  const issuer = ["-CA", `${ca}.crt`, "-CAkey", `${ca}.key`, "-CAcreateserial", "-days", "30"];
  openssl(folder, "x509", "-req", ...issuer, "-in", `${name}.csr`, "-extfile", `${name}.extensions`, "-out", `${name}.crt`);
}

/** The key with which the cluster signs tokens of service accounts. */
export function signingKey(folder, name) {
  openssl(folder, "genrsa", "-out", `${name}.key`, "2048");
}
