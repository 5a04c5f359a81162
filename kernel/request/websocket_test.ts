import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchange } from "./exchange.ts";
import { chosenProtocol, isCrossSite, protocolToken, refuseCrossSite } from "./websocket.ts";

const offered = (headers: Exchange["headers"], more: Partial<Exchange> = {}) => ({ headers, offersWebSocket: true, ...more }) as Exchange;
const bearer = (text: string) => `base64url.bearer.authorization.k8s.io.${text}`;
const encoded = Buffer.from("tökèn").toString("base64url");
const protocols = (value: string | string[]) => offered({ "sec-websocket-protocol": value });

test("protocolToken() reads the token of a browser; chosenProtocol() never answers with it", () => {
  assert.equal(protocolToken(protocols(`a, ${bearer(encoded)}`)), "tökèn");
  assert.equal(protocolToken(protocols([bearer(encoded), "a"])), "tökèn");
  assert.equal(chosenProtocol(protocols(`${bearer(encoded)}, b, c`)), "b");
  assert.equal(protocolToken(protocols("a, b")), undefined);
  assert.equal(protocolToken({ ...protocols(`a, ${bearer(encoded)}`), offersWebSocket: false }), undefined);
  for (
    const wrong of [
      `${bearer(encoded)}`,
      `a, ${bearer(encoded)}, ${bearer("YQ")}`,
      `a, ${bearer("Y")}`,
      `a, ${bearer("_w")}`,
      `a, ${bearer("YQ==")}`,
    ]
  ) {
    assert.throws(() => protocolToken(protocols(wrong)), /token|subprotocol/, wrong);
  }
});

test("isCrossSite() is true for a page of another site that uses the browser's client certificate", () => {
  const peer = { commonName: "ann" } as NonNullable<Exchange["peer"]>, host = "api.example:6443";
  const site = (origin: string | string[] | undefined, more: Exchange["headers"] = {}) =>
    isCrossSite(offered({ host, origin, ...more }, { peer }));
  assert.deepEqual(["https://api.example:6443", undefined].map((origin) => site(origin)), [false, false]);
  assert.deepEqual(["https://evil.example", "null", "https://api.example", ["a", "b"]].map((origin) => site(origin)), [
    true,
    true,
    true,
    true,
  ]);
  assert.equal(site("https://evil.example", { authorization: "Bearer a" }), false);
  // The certificate of a proxy for browsers. Other programs that pass requests on, such as kubectl proxy, do not name the host.
  assert.equal(site("http://localhost:4466", { "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "api.example:6443" }), false);
  assert.equal(site("http://localhost:8001", { "x-forwarded-for": "127.0.0.1" }), true);
  assert.equal(isCrossSite(offered({ host, origin: "https://evil.example" })), false);
  assert.throws(() => refuseCrossSite(offered({ host, origin: "https://evil.example" }, { peer })), /of another origin/);
});
