/** Proofs of the flags of remote authorizers. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SettingName } from "../../server/config/settings.ts";
import { type AccessReviewer, openAccessReviewer } from "../access-reviewer.ts";
import { until } from "../real-server.ts";
import { inFolder, path, type Proof, type Served, served, statusOf } from "./served.ts";

const forAlice = (server: Served, url = path) => statusOf(server, url, { authorization: `Bearer ${server.tokens.alice}` });

/** The reviews about alice: the server's own controllers are reviewed, too. */
const aboutAlice = ({ reviews }: AccessReviewer) => reviews.filter(({ spec }) => spec.user === "alice");

/** A webhook, and the path of its kubeconfig in a temporary folder. */
function withReviewer(use: (reviewer: AccessReviewer, file: string, folder: string) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const reviewer = await openAccessReviewer(), file = join(folder, "webhook.yaml");
    try {
      await writeFile(file, reviewer.kubeconfig);
      await use(reviewer, file, folder);
    } finally {
      await reviewer.close();
    }
  });
}

const asked = () =>
  withReviewer(async (reviewer, file) => {
    for (const version of ["v1", "v1beta1"]) {
      const flags = ["--authorization-mode=Webhook,RBAC", `--authorization-webhook-config-file=${file}`];
      await served([...flags, ...(version === "v1" ? ["--authorization-webhook-version=v1"] : [])], async (server) => {
        reviewer.reviews.length = 0;
        reviewer.judge = ({ user }) => ({ allowed: user === "alice", reason: "by the webhook" });
        assert.equal(await forAlice(server, `${path}?labelSelector=a%3Db`), 200);
        assert.equal(await forAlice(server, `${path}?labelSelector=a%3Db`), 200);
        const groups = ["system:authenticated"];
        assert.deepEqual(aboutAlice(reviewer), [{
          kind: "SubjectAccessReview",
          apiVersion: `authorization.k8s.io/${version}`,
          metadata: {},
          spec: {
            resourceAttributes: {
              namespace: "default",
              verb: "list",
              version: "v1",
              resource: "configmaps",
              labelSelector: { requirements: [{ key: "a", operator: "In", values: ["b"] }] },
            },
            user: "alice",
            ...(version === "v1" ? { groups } : { group: groups }),
            uid: "2",
          },
        }]);
        assert.equal(await statusOf(server, path), 200);
        assert.ok(reviewer.reviews.every(({ spec }) => spec.user !== "admin"), "members of system:masters are not asked about");
        const metrics = (await server.client.ask("/metrics")).text;
        for (
          const line of [
            /^apiserver_authorization_webhook_evaluations_total\{name="default",result="success"\} [1-9]\d*$/m,
            /^apiserver_authorization_webhook_duration_seconds_count\{name="default",result="success"\} [1-9]\d*$/m,
            /^apiserver_authorization_decisions_total\{decision="allowed",name="default",type="Webhook"\} [1-9]\d*$/m,
          ]
        ) assert.match(metrics, line);
      });
    }
    await assert.rejects(
      served(["--authorization-mode=Webhook"], () => Promise.resolve()),
      /Webhook's authorization config file not passed/,
    );
    await assert.rejects(
      served([`--authorization-webhook-config-file=${file}`], () => Promise.resolve()),
      /cannot specify --authorization-webhook-config-file without mode Webhook/,
    );
    await assert.rejects(
      served(
        ["--authorization-mode=Webhook", `--authorization-webhook-config-file=${file}`, "--authorization-webhook-version=v2"],
        () => Promise.resolve(),
      ),
      /unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"/,
    );
    await assert.rejects(
      served(["--authorization-mode=Webhook", "--authorization-webhook-config-file=/none"], () => Promise.resolve()),
      /cannot use the kubeconfig "\/none"/,
    );
  });

const remembered = (flag: string, allowed: boolean): Proof => () =>
  withReviewer(async (reviewer, file) => {
    reviewer.judge = () => ({ allowed });
    const flags = ["--authorization-mode=Webhook", `--authorization-webhook-config-file=${file}`];
    for (const [more, asks] of [[[], 1], [[`--${flag}=0`], 3]] as const) {
      reviewer.reviews.length = 0;
      await served([...flags, ...more], async (server) => {
        for (let i = 0; i < 3; i++) assert.equal(await forAlice(server), allowed ? 200 : 403);
        assert.equal(aboutAlice(reviewer).length, asks);
      });
    }
  });

const configuration = (file: string, more: string, failurePolicy = "Deny", condition = "request.user != 'nobody'") => `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- type: Webhook
  name: first.example.com
  webhook:
    timeout: 3s
    cacheUnauthorizedRequests: false
    subjectAccessReviewVersion: v1
    failurePolicy: ${failurePolicy}
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: ${file}}
    matchConditionSubjectAccessReviewVersion: v1
    matchConditions: [{expression: "${condition}"}]
- {type: RBAC, name: rbac}
${more}`;

const configured = () =>
  withReviewer(async (reviewer, file, folder) => {
    const config = join(folder, "authorization.yaml");
    await writeFile(config, configuration(file, ""));
    await served([`--authorization-config=${config}`], async (server) => {
      reviewer.judge = () => ({ allowed: false, denied: true, reason: "not today" });
      assert.equal(await forAlice(server), 403);
      reviewer.judge = () => 400;
      assert.equal(await forAlice(server), 500, "the failure policy is Deny");
      await writeFile(config, configuration(file, "- {type: Sometimes, name: sometimes}"));
      await until(async () => {
        const { text } = await server.client.ask("/metrics");
        assert.match(
          text,
          /^apiserver_authorization_config_controller_automatic_reloads_total\{apiserver_id_hash="",status="failure"\} 1$/m,
        );
      });
      assert.equal(await forAlice(server), 500, "the previous configuration stays active");
      await writeFile(config, configuration(file, "- {type: AlwaysAllow, name: alwaysallow}", "NoOpinion"));
      await until(async () => assert.equal(await forAlice(server), 200));
      const failing = configuration(file, "", "Deny", "request.extra['team'] == ['a']");
      await writeFile(config, failing);
      await until(async () => assert.equal(await forAlice(server), 500));
      reviewer.reviews.length = 0;
      await writeFile(config, configuration(file, "- {type: AlwaysAllow, name: alwaysallow}", "Deny", "request.user != 'alice'"));
      await until(async () => assert.equal(await forAlice(server), 200));
      assert.deepEqual(aboutAlice(reviewer), [], "the conditions exclude her requests");
      await until(async () => {
        const { text } = await server.client.ask("/metrics");
        for (
          const line of [
            /^apiserver_authorization_config_controller_automatic_reloads_total\{apiserver_id_hash="",status="success"\} 3$/m,
            /^apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds\{apiserver_id_hash="",status="success"\} [\d.e+]+$/m,
            /^apiserver_authorization_config_controller_last_config_info\{apiserver_id_hash="",hash="sha256:\w+"\} 1$/m,
            /^apiserver_authorization_match_condition_evaluation_errors_total\{type="Webhook",name="first.example.com"\} [1-9]\d*$/m,
            /^apiserver_authorization_match_condition_exclusions_total\{type="Webhook",name="first.example.com"\} [1-9]\d*$/m,
            /^apiserver_authorization_match_condition_evaluation_seconds_count\{type="Webhook",name="first.example.com"\} [1-9]\d*$/m,
            /^apiserver_authorization_webhook_evaluations_fail_open_total\{name="first.example.com",result="error"\} \d+$/m,
          ]
        ) assert.match(text, line);
      });
    });
    for (const flag of ["--authorization-mode=RBAC", `--authorization-webhook-config-file=${file}`, "--authorization-webhook-version=v1"]) {
      await assert.rejects(
        served([`--authorization-config=${config}`, flag], () => Promise.resolve()),
        /--authorization-config can not be specified when --authorization-mode or --authorization-webhook-\* flags are defined/,
      );
    }
  });

export const authorizing = {
  "authorization-config": configured,
  "authorization-webhook-config-file": asked,
  "authorization-webhook-version": asked,
  "authorization-webhook-cache-authorized-ttl": remembered("authorization-webhook-cache-authorized-ttl", true),
  "authorization-webhook-cache-unauthorized-ttl": remembered("authorization-webhook-cache-unauthorized-ttl", false),
} satisfies Partial<Record<SettingName, Proof>>;
