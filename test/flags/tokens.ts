/** Proofs of the flags of bearer tokens that other servers issue or review. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SettingName } from "../../server/config/settings.ts";
import { type OidcIssuer, openIssuer } from "../oidc-issuer.ts";
import { until } from "../real-server.ts";
import { openReviewer } from "../token-reviewer.ts";
import { inFolder, path, type Proof, type Served, served, statusOf } from "./served.ts";

/** The user of a token in a TokenReview; the error if the token is rejected. */
async function reviewed({ client }: Served, token: string): Promise<any> {
  const answer = await client.ask("/apis/authentication.k8s.io/v1/tokenreviews", { method: "POST", body: { spec: { token } } });
  const { status } = answer.json();
  return status.authenticated === true ? status.user : status.error;
}

/** The user of a token of the issuer, after its discovery. */
function userOf(server: Served, token: string): Promise<any> {
  return until(async () => {
    const user = await reviewed(server, token);
    assert.doesNotMatch(JSON.stringify(user), /not initialized/);
    return user;
  });
}

/** A server with one issuer by flags, and these additional flags. */
function withOidc(flags: readonly string[], use: (server: Served, issuer: OidcIssuer) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const issuer = await openIssuer();
    try {
      await writeFile(join(folder, "issuer.pem"), issuer.ca);
      const all = [`--oidc-issuer-url=${issuer.url}`, "--oidc-client-id=thole", `--oidc-ca-file=${join(folder, "issuer.pem")}`];
      await served([...all, ...flags], (server) => use(server, issuer));
    } finally {
      await issuer.close();
    }
  });
}

/** The name and groups of a token's user. */
async function names(server: Served, token: string): Promise<readonly string[]> {
  const user = await userOf(server, token);
  return typeof user === "string" ? [user] : [user.username, ...user.groups];
}

const issued = () =>
  withOidc([], async (server, issuer) => {
    const token = await issuer.token({ jti: "t1" });
    assert.deepEqual(await userOf(server, token), {
      username: `${issuer.url}#jane`,
      groups: ["system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=t1"] },
    });
    assert.match((await names(server, await issuer.token({ aud: "other" })))[0]!, /expected audience "thole" got \["other"\]/);
    assert.equal(await statusOf(server, path, { authorization: `Bearer ${token}` }), 403, "known, and without rights");
    assert.equal(await statusOf(server, path, { authorization: `Bearer ${token}x` }), 401);
    assert.ok(server.logged.every((line) => !line.includes(token)), "tokens are not logged");
    const metrics = (await server.client.ask("/metrics")).text;
    for (
      const line of [
        /^apiserver_authentication_jwt_authenticator_latency_seconds_count\{jwt_issuer_hash="sha256:\w+",result="success"\} 1$/m,
        /^apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info\{.*hash="sha256:\w+".*\} 1$/m,
        /^apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds\{.*result="success"\} [\d.e+]+$/m,
        /^authentication_token_cache_request_total\{status="hit"\} 1$/m,
        /^authentication_token_cache_request_duration_seconds_count\{status="hit"\} 1$/m,
        /^authentication_token_cache_fetch_total\{status="ok"\} [1-9]\d*$/m,
        /^authentication_token_cache_active_fetch_count\{status="in_flight"\} 0$/m,
      ]
    ) assert.match(metrics, line);
    assert.ok(!metrics.includes(issuer.url), "issuers are shown by their hashes");
  });

const webhooked = () =>
  inFolder(async (folder) => {
    for (const version of ["v1", "v1beta1"]) {
      const reviewer = await openReviewer();
      try {
        const file = join(folder, `${version}.yaml`);
        await writeFile(file, reviewer.kubeconfig);
        const flags = [
          `--authentication-token-webhook-config-file=${file}`,
          ...(version === "v1" ? ["--authentication-token-webhook-version=v1"] : []),
        ];
        await served(flags, async (server) => {
          reviewer.users.set("good", { username: "carol", uid: "7", groups: ["dev"], extra: { scopes: ["a"] } });
          const user = { username: "carol", uid: "7", groups: ["dev", "system:authenticated"], extra: { scopes: ["a"] } };
          assert.deepEqual(await reviewed(server, "good"), user);
          assert.deepEqual(await reviewed(server, "good"), user);
          assert.equal(await reviewed(server, "bad"), "[invalid bearer token, nobody has <token>]");
          assert.equal(await statusOf(server, path, { authorization: "Bearer bad" }), 401);
          assert.deepEqual(reviewer.reviews.map(({ apiVersion, spec }) => [apiVersion, spec.token]), [
            [`authentication.k8s.io/${version}`, "good"],
            [`authentication.k8s.io/${version}`, "bad"],
          ]);
          assert.equal(await statusOf(server, path), 200, "tokens of the file are not sent to it");
        });
      } finally {
        await reviewer.close();
      }
    }
  });

export const tokens = {
  "authentication-config": () =>
    inFolder(async (folder) => {
      const issuer = await openIssuer(), file = join(folder, "authentication.yaml");
      const configuration = (prefix: string, more: object = {}) =>
        JSON.stringify({
          apiVersion: "apiserver.config.k8s.io/v1",
          kind: "AuthenticationConfiguration",
          jwt: [{
            issuer: { url: issuer.url, certificateAuthority: issuer.ca, audiences: ["thole", "other"], audienceMatchPolicy: "MatchAny" },
            claimMappings: { username: { claim: "sub", prefix }, groups: { claim: "groups", prefix } },
          }],
          anonymous: { enabled: true, conditions: [{ path: "/livez" }, { path: "/readyz" }] },
          ...more,
        });
      try {
        await writeFile(file, configuration("a:"));
        await served([`--authentication-config=${file}`], async (server) => {
          const token = await issuer.token({ aud: ["other"], groups: ["dev"] });
          assert.deepEqual(await names(server, token), ["a:jane", "a:dev", "system:authenticated"]);
          await until(async () => assert.equal(await statusOf(server, "/livez", { authorization: "" }), 200));
          assert.equal(await statusOf(server, "/livez?verbose", { authorization: "" }), 200);
          for (const other of ["/version", "/livez/", "/livez/ping", "/%2flivez", path]) {
            assert.equal(await statusOf(server, other, { authorization: "" }), 401, other);
          }
          const status = async (of: "success" | "failure") =>
            Number(
              (await server.client.ask("/metrics")).text.match(
                new RegExp(
                  `^apiserver_authentication_config_controller_automatic_reloads_total\\{apiserver_id_hash="",status="${of}"\\} (\\d+)$`,
                  "m",
                ),
              )?.[1] ?? 0,
            );
          await writeFile(file, configuration("b:"));
          await server.running.reload();
          assert.deepEqual(await names(server, token), ["b:jane", "b:dev", "system:authenticated"], "also for a token that was cached");
          assert.deepEqual([await status("success"), await status("failure")], [1, 0]);
          for (const bad of ["{", configuration("c:", { jwtt: [] }), configuration("c:", { anonymous: { enabled: false } })]) {
            await writeFile(file, bad);
            await server.running.reload();
            await server.running.reload();
            assert.deepEqual((await names(server, token))[0], "b:jane", "the previous configuration stays active");
          }
          assert.deepEqual([await status("success"), await status("failure")], [1, 3], "a bad file counts once");
          const metrics = (await server.client.ask("/metrics")).text;
          const reload = "apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds";
          assert.equal(metrics.match(new RegExp(`^${reload}\\{`, "gm"))?.length, 2);
          const info = "apiserver_authentication_config_controller_last_config_info";
          assert.equal(metrics.match(new RegExp(`^${info}\\{.*hash="sha256:\\w+"\\} 1$`, "gm"))?.length, 1);
          assert.ok(server.logged.some((line) => line.includes('unknown field \\"jwtt\\"') || line.includes("jwtt")));
          await writeFile(file, configuration("b:", { jwt: [] }));
          await server.running.reload();
          assert.deepEqual(await names(server, token), ["invalid bearer token"], "the issuer is removed at once");
        });
        await writeFile(
          file,
          configuration("a:", { jwt: [{ issuer: { url: "http://x" }, claimMappings: { username: { expression: "user.name" } } }] }),
        );
        const failure =
          /invalid authentication configuration: .*jwt\[0\]\.issuer\.url: Invalid value: "http:\/\/x": URL scheme must be https, .*undeclared reference to 'user'/;
        await assert.rejects(served([`--authentication-config=${file}`], () => Promise.resolve()), failure);
        await assert.rejects(
          served([`--authentication-config=${file}`, "--oidc-groups-claim=x"], () => Promise.resolve()),
          /authentication-config file and oidc-\* flags are mutually exclusive/,
        );
        await writeFile(file, configuration("a:"));
        await assert.rejects(
          served([`--authentication-config=${file}`, "--anonymous-auth=false"], () => Promise.resolve()),
          /--anonymous-auth flag cannot be set when anonymous field is configured/,
        );
      } finally {
        await issuer.close();
      }
    }),
  "oidc-issuer-url": issued,
  "oidc-client-id": issued,
  "oidc-ca-file": async () => {
    const other = await openIssuer();
    try {
      await served([`--oidc-issuer-url=${other.url}`, "--oidc-client-id=thole"], async (server) => {
        await until(() => assert.ok(server.logged.some((line) => line.includes("cannot be used") && line.includes(other.url))));
        assert.match(await reviewed(server, await other.token()), /oidc: authenticator not initialized/);
        assert.equal(await statusOf(server, path, { authorization: `Bearer ${await other.token()}` }), 401);
        assert.equal(await statusOf(server, path, { authorization: "Bearer nobody's" }), 401);
        const metrics = (await server.client.ask("/metrics")).text;
        for (const result of ["error", "failure"]) {
          assert.match(metrics, new RegExp(`^authentication_attempts\\{result="${result}"\\} 1$`, "m"));
          assert.match(metrics, new RegExp(`^authentication_duration_seconds_count\\{result="${result}"\\} 1$`, "m"));
        }
        assert.ok(server.logged.some((line) => line.includes("the authenticator jwt failed")));
        assert.equal(await statusOf(server, path), 200, "other tokens are good");
      });
    } finally {
      await other.close();
    }
    await issued();
  },
  "oidc-username-claim": () =>
    withOidc(["--oidc-username-claim=email"], async (server, issuer) => {
      assert.deepEqual(await names(server, await issuer.token({ email: "a@example.com" })), ["a@example.com", "system:authenticated"]);
    }),
  "oidc-username-prefix": async () => {
    await withOidc(["--oidc-username-prefix=x:"], async (server, issuer) => {
      assert.equal((await names(server, await issuer.token()))[0], "x:jane");
    });
    await withOidc(
      ["--oidc-username-prefix=-"],
      async (server, issuer) => assert.equal((await names(server, await issuer.token()))[0], "jane"),
    );
  },
  "oidc-groups-claim": () =>
    withOidc(["--oidc-groups-claim=roles"], async (server, issuer) => {
      assert.deepEqual((await names(server, await issuer.token({ roles: ["a", "b"], groups: ["c"] }))).slice(1), [
        "a",
        "b",
        "system:authenticated",
      ]);
      assert.ok(server.logged.some((line) => line.includes("tokens of an issuer may have any groups")));
    }),
  "oidc-groups-prefix": () =>
    withOidc(["--oidc-groups-claim=roles", "--oidc-groups-prefix=oidc:"], async (server, issuer) => {
      const token = await issuer.token({ roles: ["system:masters"] });
      assert.deepEqual((await names(server, token)).slice(1), ["oidc:system:masters", "system:authenticated"]);
      assert.equal(await statusOf(server, path, { authorization: `Bearer ${token}` }), 403);
    }),
  "oidc-signing-algs": () =>
    withOidc(["--oidc-signing-algs=ES256"], async (server, issuer) => {
      assert.match((await names(server, await issuer.token()))[0]!, /unsupported algorithm, expected \["ES256"\] got "RS256"/);
      await issuer.rotate("ES256");
      assert.equal((await names(server, await issuer.token()))[0], `${issuer.url}#jane`);
      await assert.rejects(
        served(["--oidc-signing-algs=HS256,none"], () => Promise.resolve()),
        /unsupported signing alg: "HS256"\n.*"none"/,
      );
    }),
  "oidc-required-claim": () =>
    withOidc(["--oidc-required-claim=hd=example.com"], async (server, issuer) => {
      assert.equal((await names(server, await issuer.token({ hd: "example.com" })))[0], `${issuer.url}#jane`);
      assert.match((await names(server, await issuer.token()))[0]!, /required claim hd not present/);
    }),
  "authentication-token-webhook-config-file": webhooked,
  "authentication-token-webhook-version": webhooked,
  "authentication-token-webhook-cache-ttl": () =>
    inFolder(async (folder) => {
      const reviewer = await openReviewer(), file = join(folder, "webhook.yaml");
      try {
        await writeFile(file, reviewer.kubeconfig);
        await served(
          [`--authentication-token-webhook-config-file=${file}`, "--authentication-token-webhook-cache-ttl=0"],
          async (server) => {
            for (let i = 0; i < 3; i++) await reviewed(server, "bad");
            assert.equal(reviewer.reviews.length, 3);
          },
        );
      } finally {
        await reviewer.close();
      }
    }),
} satisfies Partial<Record<SettingName, Proof>>;
