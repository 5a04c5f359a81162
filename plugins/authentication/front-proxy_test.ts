import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, parseArguments, withDefaults } from "../../server/config/parse.ts";
import type { PlainSettings } from "../../server/config/plain-settings.ts";
import type { AuthenticationAnswer, RequestToAuthenticate } from "../../core/authentication.ts";
import { activeConfigOf } from "../../server/config/active-config.ts";
import { definePlugin } from "../../plugin.ts";
import { frontProxy, requestHeader } from "./front-proxy.ts";

const proxy = { commonName: "front-proxy-client", organizations: [], uids: [], fingerprint: "", expires: 0 };
const settings: PlainSettings = {
  "requestheader-username-headers": ["X-Remote-User"],
  "requestheader-group-headers": ["X-Remote-Group"],
  "requestheader-extra-headers-prefix": ["X-Remote-Extra-"],
};

/** The answer for a proxy's request, with these settings over the default ones. */
async function answer(
  headers: RequestToAuthenticate["headers"],
  more: PlainSettings = {},
  by: typeof proxy | null = proxy,
): Promise<AuthenticationAnswer> {
  return await frontProxy(() => withDefaults({ ...settings, ...more }))({ headers, frontProxy: by ?? undefined });
}

/** The user of that answer. */
async function who(...about: Parameters<typeof answer>) {
  const found = await answer(...about);
  return found !== undefined && "user" in found ? found.user : found;
}

test("frontProxy() decodes headers as UTF-8, with replacement characters for invalid bytes", async () => {
  const headers = { "x-remote-user": "Jos\xc3\xa9", "x-remote-group": ["d\xc3\xa9v", "\xff"], "x-remote-extra-%c3%a9": "\xc3\xbc" };
  assert.deepEqual(await who(headers), { name: "José", groups: ["dév", "\ufffd"], extra: { é: ["ü"] } });
});

test("frontProxy() treats a name or group with a byte order mark as different from the one without", async () => {
  const mark = "\xef\xbb\xbf";
  const headers = {
    "x-remote-user": `${mark}system:admin`,
    "x-remote-group": [`${mark}system:masters`],
    "x-remote-extra-%ef%bb%bfscopes": `${mark}all`,
  };
  assert.deepEqual(await who(headers), {
    name: "\ufeffsystem:admin",
    groups: ["\ufeffsystem:masters"],
    extra: { "\ufeffscopes": ["\ufeffall"] },
  });
});

test("frontProxy() decodes keys after a prefix, keeps malformed ones unchanged, and joins values", async () => {
  const headers = {
    "x-remote-user": "carol",
    "x-remote-extra-example.org%2fzone": ["a", "b"],
    "x-remote-extra-50%": "c",
    "x-remote-extra-%zz%2f": "d",
    "x-remote-extra-": "e",
    "x-remote-extra-__proto__": "f",
    "x-remote-extra-%5f_proto__": "g",
    "x-remote-extr": "h",
  };
  const found = await who(headers);
  assert.ok(found !== undefined && "extra" in found);
  assert.deepEqual(Object.entries(found.extra ?? {}).toSorted(), [
    ["%zz%2f", ["d"]],
    ["", ["e"]],
    ["50%", ["c"]],
    ["__proto__", ["f", "g"]],
    ["example.org/zone", ["a", "b"]],
  ]);
});

test("frontProxy() uses the first value of the first header that has one, and every group except empty ones", async () => {
  const two = { "requestheader-username-headers": ["X-A", "X-B"], "requestheader-uid-headers": ["X-Remote-Uid"] };
  assert.deepEqual(await who({ "x-a": ["", "late"], "x-b": ["b", "c"], "x-remote-uid": "7", "x-remote-group": ["", "g"] }, two), {
    name: "b",
    uid: "7",
    groups: ["g"],
    extra: {},
  });
  assert.equal(await who({ "x-a": "", "x-remote-user": "carol" }, two), undefined, "a header without a configured name is ignored");
});

test("frontProxy() ignores headers without a front proxy's certificate, and rejects one whose name is not allowed", async () => {
  const headers = { "x-remote-user": "carol" }, allowed = { "requestheader-allowed-names": ["front-proxy-client"] };
  assert.equal(await who(headers, {}, null), undefined);
  assert.deepEqual(await answer(headers, allowed, { ...proxy, commonName: "front-proxy" }), {
    refused: 'front proxy: the common name "front-proxy" is not allowed',
  });
  assert.equal((await who(headers, allowed) as { readonly name?: string }).name, "carol");
});

const proxied = definePlugin({ name: "proxied", summary: "Users of front proxies.", authenticators: [requestHeader] });

test("UIDs of front proxies need the standard header among theirs, and the gate RemoteRequestHeaderUID", () => {
  const parse = (...args: readonly string[]) => {
    const parsed = parseArguments(args, () => "");
    assert.ok(!parsed.help);
    return activeConfigOf(parsed.config, [proxied]);
  };
  parse("--requestheader-uid-headers=x-remote-uid,X-Id");
  assert.throws(() => parse("--requestheader-uid-headers=X-Id"), /without specifying the standard X-Remote-Uid header - API aggregation/);
  const gate = "--feature-gates=RemoteRequestHeaderUID=false";
  const before = parse(gate);
  const refused = (error: unknown) =>
    error instanceof ConfigError &&
    error.message === '--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled';
  assert.throws(() => parse(gate, "--requestheader-uid-headers=X-Remote-Uid"), refused);
  assert.throws(() => activeConfigOf({ ...before.config, "requestheader-uid-headers": ["X-Remote-Uid"] }, [proxied], before), refused);
});
