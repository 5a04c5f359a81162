/** Proofs of the front proxy flags: real certificates, and the resulting users. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SettingName } from "../../server/config/settings.ts";
import type { KeyedCertificate } from "../../protocols/x509/certificate.ts";
import { type Client, http1, issue, protocols } from "../../server/listen/testing/clients.ts";
import { until } from "../real-server.ts";
import { inFolder, type Proof, type Served, served } from "./served.ts";

/** An authority of front proxies, a proxy of it, and one whose certificate has another name. */
export interface Proxies {
  readonly ca: KeyedCertificate;
  readonly proxy: KeyedCertificate;
  readonly other: KeyedCertificate;
}
export function makeProxies(): Proxies {
  const ca = issue({ usage: "ca", commonName: "front proxies" });
  return {
    ca,
    proxy: issue({ usage: "client", commonName: "front-proxy-client" }, ca),
    other: issue({ usage: "client", commonName: "other" }, ca),
  };
}

export type Headers = Readonly<Record<string, string | string[]>>;
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The user of a request with these headers; the status if the request is rejected. */
export async function whoIs(
  server: Pick<Served, "port" | "ca">,
  headers: Headers,
  identity?: KeyedCertificate,
  ask: Client = http1,
): Promise<User | number> {
  const body = new TextEncoder().encode('{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}');
  const answer = await ask(server, {
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    headers: { "content-type": "application/json", "content-length": String(body.length), ...headers },
    body,
    ca: { cert: server.ca, key: "" },
    ...(identity === undefined ? {} : { identity }),
  });
  return answer.status === 201 ? JSON.parse(answer.body.toString()).status.userInfo : answer.status;
}

/** The headers of a kube-apiserver for an administrator. */
export const standard: Headers = {
  "X-Remote-User": "carol",
  "X-Remote-Uid": "u-7",
  "X-Remote-Group": ["system:masters", "dev"],
  "X-Remote-Extra-Scopes": ["a", "b"],
  "X-Remote-Extra-Example.org%2Fzone": "north",
};
/** The flags for these headers. */
export const standardFlags: readonly string[] = [
  "--requestheader-username-headers=X-Remote-User",
  "--requestheader-uid-headers=X-Remote-Uid",
  "--requestheader-group-headers=X-Remote-Group",
  "--requestheader-extra-headers-prefix=X-Remote-Extra-",
];

/** A server that trusts front proxies, with these additional flags. */
function behind(flags: readonly string[], use: (server: Served, proxies: Proxies, file: string) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const proxies = makeProxies(), file = join(folder, "proxies.pem");
    await writeFile(file, proxies.ca.cert);
    await served([`--requestheader-client-ca-file=${file}`, ...flags], (server) => use(server, proxies, file));
  });
}

const masters = { "X-Remote-Group": "system:masters" };
const groupFlag = "--requestheader-group-headers=X-Remote-Group", userFlag = "--requestheader-username-headers=X-Remote-User";
const of = (user: User | number) => typeof user === "number" ? assert.fail(`answered with ${user}`) : user;

export const proxied = {
  "requestheader-client-ca-file": async () => {
    for (const [protocol, ask] of protocols) {
      await behind(standardFlags, async (server, { proxy }) => {
        assert.deepEqual(await whoIs(server, standard, proxy, ask), {
          username: "carol",
          uid: "u-7",
          groups: ["system:masters", "dev", "system:authenticated"],
          extra: { scopes: ["a", "b"], "example.org/zone": ["north"] },
        }, protocol);
        assert.equal(await whoIs(server, standard, undefined, ask), 403, "without a certificate the headers are ignored");
        const stranger = issue({ usage: "client", commonName: "front-proxy-client" }, issue({ usage: "ca", commonName: "front proxies" }));
        assert.equal(await whoIs(server, standard, stranger, ask), 401, "of the name, not of the authority");
        const serving = issue({ usage: "server", commonName: "front-proxy-client" }, issue({ usage: "ca", commonName: "front proxies" }));
        assert.equal(await whoIs(server, standard, serving, ask), 401, "no certificate of a client");
        const { admin } = server.running;
        assert.equal(of(await whoIs(server, standard, admin, ask)).username, "admin", "the server's own clients are no proxies");
        assert.equal(await whoIs(server, {}, proxy, ask), 401, "a proxy that sends no user is not authenticated");
        const token = { authorization: `Bearer ${server.token}` };
        assert.equal(of(await whoIs(server, token, proxy, ask)).username, "admin", "but may send a user's token");
        assert.equal(of(await whoIs(server, { ...standard, ...token }, proxy, ask)).username, "carol", "the headers count first");
      });
    }
    await served(standardFlags, async (server) => assert.equal(await whoIs(server, standard, makeProxies().proxy), 401));
    await behind(standardFlags, async (server, { proxy }, file) => {
      const next = makeProxies();
      await writeFile(file, next.ca.cert);
      await server.running.reload();
      assert.equal(of(await whoIs(server, standard, next.proxy)).username, "carol", "of the new authority");
      assert.equal(await whoIs(server, standard, proxy), 401, "of the one before it");
      await writeFile(file, "nobody\n");
      await server.running.reload();
      assert.equal(of(await whoIs(server, standard, next.proxy)).username, "carol", "a file that is none changes nothing");
      assert.match(server.logged.join("\n"), /cannot renew the bundle of front proxies' authorities: the previous one stays active/);
    });
    await assert.rejects(
      served(["--requestheader-client-ca-file=/nonexistent"], () => Promise.resolve()),
      /nonexistent/,
    );
  },
  "requestheader-allowed-names": async () => {
    await behind([...standardFlags, "--requestheader-allowed-names=front-proxy-client,second"], async (server, { proxy, other }) => {
      assert.equal(of(await whoIs(server, standard, proxy)).username, "carol");
      assert.equal(await whoIs(server, standard, other), 401);
    });
    await behind(standardFlags, async (server, { other }) => assert.equal(of(await whoIs(server, standard, other)).username, "carol"));
  },
  "requestheader-username-headers": async () => {
    await behind(["--requestheader-username-headers=X-Who,x-remote-user", groupFlag], async (server, { proxy }) => {
      const both = { ...masters, "X-Remote-User": "second", "X-Who": "first" };
      assert.equal(of(await whoIs(server, both, proxy)).username, "first");
      assert.equal(of(await whoIs(server, { ...both, "X-Who": "" }, proxy)).username, "second");
    });
    await behind([groupFlag], async (server, { proxy }) => assert.equal(await whoIs(server, standard, proxy), 401));
  },
  "requestheader-uid-headers": async () => {
    const uid = async (flags: readonly string[]) => {
      let found: string | undefined;
      await behind([userFlag, groupFlag, ...flags], async (server, { proxy }) => {
        found = of(await whoIs(server, { ...masters, "X-Remote-User": "carol", "X-Remote-Uid": "u-7", "X-Id": "7" }, proxy)).uid;
      });
      return found;
    };
    assert.deepEqual([await uid([]), await uid(["--requestheader-uid-headers=X-Id,X-Remote-Uid"])], [undefined, "7"]);
    await assert.rejects(
      uid(["--requestheader-uid-headers=X-Id"]),
      /--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work/,
    );
  },
  "requestheader-group-headers": async () => {
    await behind([userFlag, "--requestheader-group-headers=X-Remote-Group,X-Team"], async (server, { proxy }) => {
      const headers = { "X-Remote-User": "carol", "X-Remote-Group": ["system:masters", ""], "X-Team": ["dev", "ops, night"] };
      assert.deepEqual(of(await whoIs(server, headers, proxy)).groups, ["system:masters", "dev", "ops, night", "system:authenticated"]);
    });
    await behind([userFlag], async (server, { proxy }) => {
      // Such a user has access when the default roles exist.
      await until(async () =>
        assert.deepEqual(of(await whoIs(server, standard, proxy)).groups, ["system:authenticated"], "in no other group")
      );
    });
  },
  "requestheader-extra-headers-prefix": async () => {
    const headers = {
      ...masters,
      "X-Remote-User": "carol",
      "X-Remote-Extra-Scope": "a",
      "X-More-SCOPE": "b",
      "X-More-__proto__": "c",
      "X-More-50%": "d",
    };
    const extra = async (flags: readonly string[]) => {
      let found: User["extra"];
      await behind([userFlag, groupFlag, ...flags], async (server, { proxy }) => {
        found = of(await whoIs(server, headers, proxy)).extra;
      });
      return found === undefined ? undefined : Object.entries(found).toSorted();
    };
    assert.equal(await extra([]), undefined);
    assert.deepEqual(await extra(["--requestheader-extra-headers-prefix=X-Remote-Extra-,x-more-"]), [["50%", ["d"]], ["__proto__", ["c"]], [
      "scope",
      ["a", "b"],
    ]]);
  },
} satisfies { readonly [Name in SettingName]?: Proof };
