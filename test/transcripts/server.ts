/** The server under test for recorded conversations: in this process, with an empty store in memory. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueCertificate } from "../../protocols/x509/certificate.ts";
import { startTestServer } from "../harness.ts";
import { withRootCertificates } from "./needs.ts";
import type { RunningServer } from "./run.ts";

/** The recorded server had this range, and recordings choose addresses in it. */
const clusterRange = "--service-cluster-ip-range=10.96.0.0/24";

export async function startServer(flags: readonly string[]): Promise<RunningServer> {
  if (!flags.includes(withRootCertificates)) return await startTestServer({ args: [clusterRange, ...flags] });
  const folder = await mkdtemp(join(tmpdir(), "thole-root-")), path = join(folder, "ca.pem");
  const notBefore = Date.now() - 60_000, notAfter = notBefore + 3_600_000;
  await writeFile(path, issueCertificate({ usage: "ca", commonName: "root", notBefore, notAfter }).cert);
  const args = [clusterRange, ...flags].map((flag) => flag === withRootCertificates ? `--root-ca-file=${path}` : flag);
  const server = await startTestServer({ args });
  return {
    ...server,
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
