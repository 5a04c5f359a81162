// The files of docs/authentication.md, each with a server that uses it, and its commands.
// In Deno's suite only: files of pages mean the same on both.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { openPki } from "../../server/listen/pki.ts";
import { kubectlMissing } from "../clients/kubectl.ts";
import { inFolder, path, type Served, served, statusOf } from "../flags/served.ts";
import { openIssuer } from "../oidc-issuer.ts";
import { until } from "../real-server.ts";
import { openReviewer } from "../token-reviewer.ts";
import { blockOf, blocksOf, replaced, shellFor } from "../../tools/docs/page-blocks.ts";

const page = "docs/authentication.md";

/** The user of a token; undefined if it is rejected. */
async function userOf({ client }: Served, token: string): Promise<any> {
  const review = await client.ask("/apis/authentication.k8s.io/v1/tokenreviews", { method: "POST", body: { spec: { token } } });
  const { authenticated, user } = review.json().status;
  return authenticated === true ? user : undefined;
}

test(
  `${page}: the two configurations with an issuer, and rights for a group of it`,
  { skip: kubectlMissing() },
  () =>
    inFolder(async (folder) => {
      const issuer = await openIssuer();
      try {
        const file = join(folder, "authentication.yaml");
        const [byClaims, byExpressions] = blocksOf(page).filter(({ text }) => text.includes("\njwt:\n")).map(({ text }) => text);
        const local = (text: string) =>
          replaced(text, [
            "https://login.example.com/realms/team",
            `${issuer.url}\n    certificateAuthority: ${JSON.stringify(issuer.ca)}`,
          ]);
        await writeFile(file, local(byClaims!));
        await served([`--authentication-config=${file}`], async (server) => {
          const shell = await shellFor(folder, server);
          await shell.good(blockOf(page, "kubectl create clusterrolebinding readers"));
          const claims = { email: "ann@example.com", email_verified: true, groups: ["developers"], hd: "example.com" };
          const token = await issuer.token(claims);
          const known = await until(async () => {
            const user = await userOf(server, token);
            assert.ok(user !== undefined);
            return user;
          });
          assert.deepEqual([known.username, known.groups], ["oidc:ann@example.com", ["oidc:developers", "system:authenticated"]]);
          await until(async () => assert.equal(await statusOf(server, path, { authorization: `Bearer ${token}` }), 200));
          assert.equal(await userOf(server, await issuer.token({ ...claims, hd: "example.org" })), undefined);

          await writeFile(file, local(byExpressions!));
          const now = Math.floor(Date.now() / 1000);
          const more = { email: "bob@example.com", roles: "a,b", employee: "7", tenant: "blue", nbf: now - 10, email_verified: true };
          const user = await until(async () => {
            const found = await userOf(server, await issuer.token(more));
            assert.ok(found !== undefined);
            return found;
          });
          assert.deepEqual([user.username, user.groups.slice(0, 2), user.uid], ["oidc:bob@example.com", ["oidc:a", "oidc:b"], "7"]);
          assert.deepEqual(user.extra["example.com/tenant"], ["blue"]);
          assert.equal(await userOf(server, await issuer.token({ ...more, nbf: now - 100_000 })), undefined, "valid for more than a day");
          assert.equal(await userOf(server, await issuer.token({ ...more, email_verified: false })), undefined);
        });
      } finally {
        await issuer.close();
      }
    }),
);

test(`${page}: the kubeconfig of a webhook that reviews tokens`, () =>
  inFolder(async (folder) => {
    const reviewer = await openReviewer();
    try {
      const { clusters: [{ cluster }] } = JSON.parse(reviewer.kubeconfig);
      const pki = await openPki({ directory: undefined, bindAddress: "127.0.0.1", names: defaultNames, now: Date.now(), replaced() {} });
      await writeFile(join(folder, "webhook-ca.pem"), atob(cluster["certificate-authority-data"]));
      await writeFile(join(folder, "client.pem"), pki.admin.cert);
      await writeFile(join(folder, "client.key"), pki.admin.key, { mode: 0o600 });
      const file = join(folder, "webhook.yaml");
      const text = blockOf(page, "apiVersion: v1\nkind: Config\ncurrent-context: webhook");
      await writeFile(file, replaced(text, ["https://tokens.example.com/review", cluster.server], ["/etc/thole", folder]));
      reviewer.users.set("opensesame", { username: "ali", groups: ["forty"] });
      const flags = [`--authentication-token-webhook-config-file=${file}`, "--authentication-token-webhook-version=v1"];
      await served(flags, async (server) => assert.equal((await userOf(server, "opensesame")).username, "ali"));
    } finally {
      await reviewer.close();
    }
  }));

test(`${page}: requests without credentials for two paths only`, () =>
  inFolder(async (folder) => {
    const file = join(folder, "authentication.yaml");
    const [text] = blocksOf(page).filter((block) => block.text.includes("\nanonymous:\n")).map((block) => block.text);
    await writeFile(file, text!);
    await served([`--authentication-config=${file}`], async (server) => {
      const anonymous = { authorization: "" };
      // A server is ready some time after it listens.
      await until(async () => assert.equal(await statusOf(server, "/readyz"), 200));
      const statuses = await Promise.all(["/livez", "/readyz", "/healthz", "/version"].map((each) => statusOf(server, each, anonymous)));
      assert.deepEqual(statuses, [200, 200, 401, 401]);
    });
  }));

test(`${page}: the right to act as others`, { skip: kubectlMissing() }, () =>
  inFolder((folder) =>
    served([], async (server) => {
      const shell = await shellFor(folder, server);
      await shell.good(blockOf(page, "kubectl create clusterrole act-for-others"));
      await shell.good("kubectl create clusterrolebinding alice --clusterrole=act-for-others --user=alice");
      const alice = await shellFor(folder, { ...server, token: server.tokens.alice });
      assert.match(await alice.good("kubectl auth whoami --as=ann --as-group=team"), /ann[\s\S]*team/);
    })
  ));
