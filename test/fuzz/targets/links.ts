import assert from "node:assert/strict";
import type { StartTag } from "../../../core/proxy/links/scanner.ts";
import { bytesOf, type Target } from "../fuzz.ts";

/** Pages in HTML of proxied servers. */
export const links: Target = {
  name: "links",
  grammar: {
    page: [(w) => w.many("part")],
    part: [
      "text",
      "<start-tag>",
      "</<name><space>>",
      (w) => `<!--${w.write("text")}${["-->", "--!>", "--!-", "->", ">"][w.below(5)]}`,
      (w) => `<${w.write("raw-name")}>${w.many("part")}</${w.write("raw-name")}>`,
      (w) => `<script>${w.many("script-part")}</script>`,
      "<reference>",
      "<!DOCTYPE html>",
      (w) => ["<", "</", "<!", "<!-", "</>", "< a>", "<?x?>", "<![CDATA[x]]>", "</1>", "\0"][w.below(10)]!,
    ],
    "start-tag": [
      (w) => `<${w.write("name")}${w.many("attribute")}${w.write("space")}>`,
      (w) => `<${w.write("name")}${w.many("attribute")}/>`,
    ],
    name: ["a", "IMG", "form", "p", "\xe9", "object", "b-c"],
    "raw-name": ["title", "STYLE", "textarea", "noscript", "xmp", "iframe", "noembed", "noframes", "plaintext"],
    attribute: ["<space><key>", "<space><key>=<link>", "<space><key> = '<link>'", '<space><key>="<link><reference>"'],
    key: ["href", "SRC", "action", "title", "=", "\0", "data"],
    link: ["/x", "", "a b", "//h/x", "http://h/x?y#z", "/%zz", "mailto:a", "/\xff", "///", "/../x/", "a%3Ab"],
    reference: ["&amp;", "&lt", "&#65;", "&#x;", "&#1114112;", "&", "&copy=", "&NotEqualTilde;", "&x;"],
    "script-part": [(w) => ["<!--", "-->", "<script>", "</script ", "--", "<", "a", "<scripts>", "</scrip"][w.below(9)]!],
    text: ["a", "-", "--", ">", " "],
    space: ["", " ", "\n", "\t/", "/", "\r"],
  },
  start: "page",
  binary: true,
  stepsPerCharacter: 200,
  async open(code) {
    const { LinkScanner } = await code.load("core/proxy/links/scanner.ts"),
      { rewrittenTag } = await code.load("core/proxy/links/tag.ts");
    const { proxiedUrl } = await code.load("core/proxy/paths.ts");
    const page = { host: "h", requestHost: "api", prefix: "/proxy" };
    const linkOf = (link: string): string => {
      const there = proxiedUrl(link, page);
      return typeof there === "string" ? there : link;
    };
    const read = (bytes: Uint8Array, size: number): string => {
      const scanner = new LinkScanner((tag: StartTag) => rewrittenTag(tag, linkOf)), out: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) out.push(...scanner.push(bytes.subarray(at, at + size)));
      return Buffer.concat([...out, ...scanner.end()]).toString("latin1");
    };
    return (input) => {
      const bytes = bytesOf(input), whole = read(bytes, bytes.length + 1);
      if (bytes.length >= 2000) return;
      // Pages do not depend on the boundaries of chunks, and links that lead through the proxy stay.
      assert.equal(read(bytes, 1), whole);
      const again = read(bytesOf(whole), 3);
      assert.equal(read(bytesOf(again), 5), again);
    };
  },
};
