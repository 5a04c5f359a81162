// Servers started by `npm start` with its permissions, and tokens that other servers issue and review.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { httpsClient } from "../https.ts";
import { openIssuer } from "../oidc-issuer.ts";
import { startRealServer, startSkipped, until } from "../real-server.ts";
import { openReviewer } from "../token-reviewer.ts";

for (const runtime of ["deno", "node"] as const) {
  test(
    `${runtime}: tokens of an issuer and of a webhook that start later than this server`,
    { skip: startSkipped(runtime) },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "thole-tokens-"));
      const issuer = await openIssuer(), reviewer = await openReviewer();
      let isUp = false;
      issuer.answer = () => isUp ? undefined : { status: 503, body: "" };
      try {
        const jwt = [{
          issuer: { url: issuer.url, certificateAuthority: issuer.ca, audiences: ["thole"] },
          claimMappings: { username: { claim: "sub", prefix: "oidc:" } },
        }];
        const configuration = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration", jwt };
        await writeFile(join(folder, "authentication.yaml"), JSON.stringify(configuration));
        await writeFile(join(folder, "webhook.yaml"), reviewer.kubeconfig);
        reviewer.users.set("reviewed", { username: "carol" });
        const args = [
          `--authentication-config=${join(folder, "authentication.yaml")}`,
          `--authentication-token-webhook-config-file=${join(folder, "webhook.yaml")}`,
        ];
        const server = await startRealServer({ runtime, args });
        const client = httpsClient(server);
        const reviewed = async (token: string) => {
          const answer = await client.ask("/apis/authentication.k8s.io/v1/tokenreviews", { method: "POST", body: { spec: { token } } });
          return answer.json().status;
        };
        try {
          await until(async () => assert.equal((await client.ask("/readyz")).status, 200, "the start does not wait for the issuer"));
          assert.equal((await reviewed("reviewed")).user.username, "carol");
          const token = await issuer.token();
          assert.match((await reviewed(token)).error, /oidc: authenticator not initialized/);
          isUp = true;
          await until(async () => assert.equal((await reviewed(token)).user.username, "oidc:jane"));
          const whoAmI = await client.ask("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
            method: "POST",
            body: {},
            headers: { authorization: `Bearer ${token}` },
          });
          assert.equal(whoAmI.json().status.userInfo.username, "oidc:jane", whoAmI.text);
          assert.ok(![server.output(), server.errors()].join().includes(token));
        } finally {
          client.close();
          await server.close();
        }
      } finally {
        await Promise.all([issuer.close(), reviewer.close(), rm(folder, { recursive: true, force: true })]);
      }
    },
  );
}
