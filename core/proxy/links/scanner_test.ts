import assert from "node:assert/strict";
import { test } from "node:test";
import { type Page, proxiedUrl } from "../paths.ts";
import { LinkScanner, tagAttributesMax, tagBytesMax } from "./scanner.ts";
import { rewrittenTag } from "./tag.ts";

const page: Page = { host: "10.0.0.1:80", requestHost: "api", prefix: "/proxy" };

/** Reads a document of byte units in chunks of a size. */
function rewritten(document: string, size = document.length || 1): string {
  const bytes = Uint8Array.from(document, (unit) => unit.charCodeAt(0)), out: Uint8Array[] = [];
  const scanner = new LinkScanner((tag) =>
    rewrittenTag(tag, (link) => {
      const there = proxiedUrl(link, page);
      return typeof there === "string" ? there : link;
    })
  );
  for (let at = 0; at < bytes.length; at += size) out.push(...scanner.push(bytes.subarray(at, at + size)));
  out.push(...scanner.end());
  return Buffer.concat(out).toString("latin1");
}

const cases: Readonly<Record<string, readonly (readonly [page: string, shown: string])[]>> = {
  "links lead through the proxy": [
    ["<a href=/x>", '<a href="/proxy/x">'],
    ["<A HREF='/x/'>y</A>", '<a href="/proxy/x/">y</A>'],
    ['<img src="/a/../b" alt="/c">', '<img src="/proxy/b" alt="/c">'],
    ["<form action=//10.0.0.1:80/f>", '<form action="/proxy/f">'],
    ["<a href=https://api/x?y#z>", '<a href="https://api/proxy/x?y#z">'],
    ["<a href=/proxy/x>", '<a href="/proxy/x">'],
    ["<script src=/s></script>", '<script src="/proxy/s"></script>'],
    ["<video poster=/p src=/v>", '<video poster="/proxy/p" src="/proxy/v">'],
  ],
  "links elsewhere keep their place, in the writing of Go": [
    ["<a href=x/y>", '<a href="x/y">'],
    ["<a href='x y'>", '<a href="x%20y">'],
    ["<a href=HTTP://other/x>", '<a href="http://other/x">'],
    ["<a href='mailto:a@b'>", '<a href="mailto:a@b">'],
    ["<a href=''>", '<a href="">'],
  ],
  "a link that cannot be read stays": [["<a href=/%zz>", '<a href="/%zz">'], ["<a href='http://[/x'>", '<a href="http://[/x">']],
  "other attributes and elements are not links": [["<a src=/x>", '<a src="/x">'], ["<p href=/x>", '<p href="/x">']],
  "start tags are written anew": [
    ["<BR />", "<br/>"],
    ["<br/ >", "<br>"],
    ["<p a=/>", '<p a="/">'],
    ["<p a=1 a=2/>", '<p a="1"/>'],
    ["<p  A\n=\t'\"' b c='&lt;&copy=1&copy;&#65'>", '<p a="&#34;" b="" c="&lt;&amp;copy=1\u00c2\u00a9A">'],
    ["<p a='\r\n\r' b='&#13;'>", '<p a="\n\n" b="&#13;">'],
    ["<p \0='\0'>", '<p \u00ef\u00bf\u00bd="\u00ef\u00bf\u00bd">'],
    ["<p =x= a>", '<p =x="a">'],
    ["<p \u00ff='\u00e9'>", '<p \u00ff="\u00e9">'],
  ],
  "a reference that is unknown, unfinished or out of range": [
    [
      "<p a='&x; & && &; &#; &#x; &#1114112; &#128;'>",
      '<p a="&amp;x; &amp; &amp;&amp; &amp;; &amp;#; &amp;#x; \u00ef\u00bf\u00bd \u00e2\u0082\u00ac">',
    ],
  ],
  "everything else passes": [
    ["< a href=/x>", "< a href=/x>"],
    ["</a href=/x >", "</a href=/x >"],
    ["<!-- <a href=/x> -->", "<!-- <a href=/x> -->"],
    ["<!--><a href=/x>", '<!--><a href="/proxy/x">'],
    ["<!-- --!><a href=/x>", '<!-- --!><a href="/proxy/x">'],
    ["<!-- --!-><a href=/x>-->", "<!-- --!-><a href=/x>-->"],
    ["<!DOCTYPE html SYSTEM '<a href=/x>", "<!DOCTYPE html SYSTEM '<a href=/x>"],
    ["<?a <a href=/x>", "<?a <a href=/x>"],
    ["</><a href=/x>", '</><a href="/proxy/x">'],
    ["</1 <a href=/x>", "</1 <a href=/x>"],
    ["<![CDATA[<a href=/x>]]>", "<![CDATA[<a href=/x>]]>"],
    ["a < b <", "a < b <"],
    ["</", "</"],
  ],
  "the content of some elements is text": [
    ...["iframe", "noembed", "noframes", "noscript", "style", "textarea", "title", "xmp", "script"].map((name) =>
      [
        `<${name}><a href=/x></${name}x></${name.toUpperCase()} ><a href=/x>`,
        `<${name}><a href=/x></${name}x></${name.toUpperCase()} ><a href="/proxy/x">`,
      ] as const
    ),
    ["<plaintext></plaintext><a href=/x>", "<plaintext></plaintext><a href=/x>"],
    ["<title/><a href=/x>", "<title/><a href=/x>"],
    ["<titles><a href=/x>", '<titles><a href="/proxy/x">'],
  ],
  "scripts in comments of scripts": [
    [
      "<script><!--<script></script><a href=/x>--></script><a href=/y>",
      '<script><!--<script></script><a href=/x>--></script><a href="/proxy/y">',
    ],
    ["<script><!--</script><a href=/x>", '<script><!--</script><a href="/proxy/x">'],
    ["<script><!-<script></script><a href=/x>", '<script><!-<script></script><a href="/proxy/x">'],
    ["<script><!--<scripts></script><a href=/x>", '<script><!--<scripts></script><a href="/proxy/x">'],
    ["<script><!--<script>--></script><a href=/x>", '<script><!--<script>--></script><a href="/proxy/x">'],
    ["<script><!-- <script </script </script><a href=/x>", '<script><!-- <script </script </script><a href="/proxy/x">'],
  ],
  "a tag that does not end is left out": [
    ["a<a href=/x", "a"],
    ["a</a", "a"],
    ["<title>a</title ", "<title>a"],
    ["<title>a</titl", "<title>a</titl"],
    ["<!-- a", "<!-- a"],
  ],
};

for (const [name, list] of Object.entries(cases)) {
  test(`LinkScanner: ${name}`, () => {
    for (const [given, shown] of list) {
      assert.equal(rewritten(given), shown, given);
      assert.equal(rewritten(given, 1), shown, `${given} byte by byte`);
    }
  });
}

test("LinkScanner passes a tag that is longer than its bound, and goes on after it", () => {
  const tag = (length: number): string => `<a a="${"x".repeat(length - '<a a="" href=/x>'.length)}" href=/x>`;
  for (const size of [1_000, 65_536]) {
    assert.ok(rewritten(tag(tagBytesMax), size).endsWith('" href="/proxy/x">'));
    const [long, next] = [tag(tagBytesMax + 1), "<a href=/y>"];
    assert.equal(rewritten(long + next, size), `${long}<a href="/proxy/y">`);
  }
  const title = `<title ${"a".repeat(tagBytesMax)}>`, inTitle = "<a href=/x></title>";
  assert.equal(rewritten(`${title}${inTitle}<a href=/x>`), `${title}${inTitle}<a href="/proxy/x">`, "the name still counts");
});

test("LinkScanner passes a tag with more attributes than its bound", () => {
  const tag = (count: number): string => `<a ${"a ".repeat(count - 1)}href=/x>`;
  assert.equal(rewritten(tag(tagAttributesMax)), '<a a="" href="/proxy/x">');
  const long = tag(tagAttributesMax + 1);
  assert.equal(rewritten(`${long}<a href=/y>`), `${long}<a href="/proxy/y">`);
});

test("LinkScanner yields what it has when a piece is full, and keeps no more than that", () => {
  const scanner = new LinkScanner((tag) => rewrittenTag(tag, (link) => link)),
    chunk = new TextEncoder().encode("<p>text</p>".repeat(10_000));
  let kept = 0, largest = 0;
  for (let round = 0; round < 20; round++) {
    kept += chunk.length;
    for (const piece of scanner.push(chunk)) [kept, largest] = [kept - piece.length, Math.max(largest, piece.length)];
    assert.ok(kept <= 65_536, `${kept} bytes are kept`);
  }
  assert.ok(largest <= 65_536, `${largest} bytes in a piece`);
});
