// The files of docs/webhooks.md with a real webhook: its configuration, its answer, addresses, and credentials.
// In Deno's suite only: files of pages mean the same on both.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parseArguments } from "../../server/config/parse.ts";
import { type AdmissionWebhook, answered, openAdmissionWebhook } from "../admission-webhook.ts";
import { kubectlMissing } from "../clients/kubectl.ts";
import { inFolder, type Served, served } from "../flags/served.ts";
import { until } from "../real-server.ts";
import { blockOf, blocksOf, replaced, root, type Shell, shellFor } from "../../tools/docs/page-blocks.ts";

const page = "docs/webhooks.md";

interface Setting {
  readonly folder: string;
  readonly server: Served;
  readonly shell: Shell;
  readonly webhook: AdmissionWebhook;
}
/** A server with the page's configuration and a webhook on loopback in the place of the page's; the namespace `checked` is covered by it. */
function withWebhook(
  flags: (folder: string, webhook: AdmissionWebhook) => Promise<readonly string[]>,
  use: (setting: Setting) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const webhook = await openAdmissionWebhook();
    try {
      await served(await flags(folder, webhook), async (server) => {
        const shell = await shellFor(folder, server);
        const text = blockOf(page, "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration");
        const local = replaced(text, ["https://hooks.example.com/owners", webhook.url], ["LS0tLS1CRUdJTi...", webhook.caBundle]);
        await writeFile(join(folder, "configuration.yaml"), local);
        await shell.good("kubectl create namespace checked && kubectl label namespace checked checked=yes");
        await shell.good("kubectl apply -f configuration.yaml");
        await until(async () => {
          await shell.good("kubectl create configmap probe -n checked --dry-run=server");
          assert.ok(webhook.reviews.length > 0);
        });
        await use({ folder, server, shell, webhook });
      });
    } finally {
      await webhook.close();
    }
  });
}

test(
  `${page}: the configuration calls the webhook, and its answer rejects the request`,
  { skip: kubectlMissing() },
  () =>
    withWebhook(() => Promise.resolve([]), async ({ shell, webhook }) => {
      const answer = blockOf(page, '{\n  "kind": "AdmissionReview"');
      webhook.answer = ({ request }) => ({ body: replaced(answer, ["the uid of the request", request.uid]) });
      const refusal = await shell.bad("kubectl create configmap settings -n checked");
      assert.match(refusal, /Warning: owners become required in all namespaces/);
      assert.match(refusal, /admission webhook "owners\.example\.com" denied the request: an owner is required/);
      webhook.reviews.length = 0;
      await shell.good("kubectl create configmap settings -n default");
      assert.deepEqual(webhook.reviews, [], "another namespace");
      webhook.answer = answered;
      await shell.good("kubectl create configmap settings -n checked --as=node --as-group=system:masters --as-group=system:nodes");
      assert.equal(webhook.reviews.length, 0, "its match condition excludes nodes");
    }),
);

test(`${page}: the credentials of a webhook`, { skip: kubectlMissing() }, () =>
  withWebhook(async (folder, webhook) => {
    const users = replaced(blockOf(page, "apiVersion: v1\nkind: Config\nusers:"), [
      "hook.default.svc:8443",
      `127.0.0.1:${webhook.port + 1}`,
    ]);
    await writeFile(join(folder, "webhooks.kubeconfig"), users, { mode: 0o600 });
    for (const name of ["hook.crt", "hook.key", "token"]) await writeFile(join(folder, name), "for other hosts\n", { mode: 0o600 });
    const file = join(folder, "admission.yaml"),
      text = blockOf(page, "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration");
    await writeFile(file, replaced(text, ["/etc/thole/webhooks.kubeconfig", join(folder, "webhooks.kubeconfig")]));
    return [`--admission-control-config-file=${file}`];
  }, ({ webhook }) => {
    assert.equal(webhook.headers.at(-1)?.authorization, "Bearer secret", "the user of all other hosts");
    return Promise.resolve();
  }));

test(`${page}: the setting of addresses is one, and the metrics of its queries exist`, () => {
  const line = blockOf(page, "--webhook-addresses=").trim();
  const parsed = parseArguments([line], () => "");
  assert.ok(!parsed.help);
  assert.deepEqual(parsed.config["webhook-addresses"], new Map([["hook.default.svc:443", "10.0.0.5:8443"]]));
  const [queries] = blocksOf(page).filter(({ text }) => text.startsWith("sum by (name)"));
  const metrics = readFileSync(join(root, "docs/metrics.md"), "utf8");
  const named = [...queries!.text.matchAll(/\b(apiserver_\w+?)(?:_bucket)?[[{]/g)].map(([, name]) => name!);
  assert.equal(named.length, 3);
  for (const name of named) assert.ok(metrics.includes(`\`${name}\``), name);
});
