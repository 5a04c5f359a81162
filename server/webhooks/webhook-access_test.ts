import assert from "node:assert/strict";
import { test } from "node:test";
import { webhookAccess } from "./webhook-access.ts";

const addresses = new Map([["hook.default.svc:443", "10.0.0.5:8443"], ["hook.example.com:443", "[::1]:9443"], [
  "127.0.0.1:443",
  "10.0.0.6:1",
]]);

test("webhookAccess() connects to the configured address, and verifies the name of the URL", () => {
  const accessOf = (url: string, more: object = {}) => {
    const { server, ...rest } = webhookAccess({ url, ...more }, addresses);
    return { server: server.href, ...rest };
  };
  const service = { serverName: "hook.default.svc", ca: "pem" };
  assert.deepEqual(accessOf("https://hook.default.svc:443/x", service), {
    server: "https://10.0.0.5:8443/x",
    host: "hook.default.svc",
    ...service,
  });
  assert.deepEqual(accessOf("https://hook.example.com/y"), {
    server: "https://[::1]:9443/y",
    host: "hook.example.com",
    serverName: "hook.example.com",
  });
  assert.deepEqual(accessOf("https://127.0.0.1/"), { server: "https://10.0.0.6:1/", host: "127.0.0.1" });
  assert.deepEqual(accessOf("https://hook.example.com:8443/y"), { server: "https://hook.example.com:8443/y" });
});
