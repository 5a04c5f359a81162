import assert from "node:assert/strict";
import { test } from "node:test";
import { etcdUserWarnings, plainEtcdWarnings } from "./plain-etcd.ts";

const warned = (...servers: string[]) => plainEtcdWarnings(servers).map((text) => /^etcd at (\S+) is reached by http:\/\//.exec(text)?.[1]);

test("plainEtcdWarnings() is empty for https and for loopback addresses", () => {
  assert.deepEqual(
    warned(
      "https://10.0.0.1:2379",
      "http://127.0.0.1:2379",
      "http://127.1:2379",
      "http://127.255.255.254:2379",
      "http://[::1]:2379",
      "http://localhost:2379",
      "http://LOCALHOST:2379",
      "no address",
    ),
    [],
  );
});

test("plainEtcdWarnings() names each remote address without TLS, without its password", () => {
  assert.deepEqual(
    warned(
      "http://10.0.0.1:2379",
      "http://user:secret@etcd-0.etcd:2379",
      "http://[fd00::1]:2379",
      "http://127.0.0.1.example:1",
      "http://0.0.0.0:1",
    ),
    ["10.0.0.1:2379", "etcd-0.etcd:2379", "[fd00::1]:2379", "127.0.0.1.example:1", "0.0.0.0:1"],
  );
});

test("etcdUserWarnings() warns once of users in addresses, without their text", () => {
  assert.deepEqual(etcdUserWarnings(["http://127.0.0.1:2379", "no address"]), []);
  const [text = "", ...more] = etcdUserWarnings(["http://a:secret@127.0.0.1:2379", "https://b@etcd:2379"]);
  assert.match(text, /^the user and password in --etcd-servers have no effect: etcd takes the user from the common name/);
  assert.deepEqual([more, text.includes("secret")], [[], false]);
});
