import { expect, test } from "vitest";
import { htmlToText } from "./html-text.js";

test.each([
  ["paragraphs and headings", "<h1>A</h1><p>b\n c</p><p>d</p>", "A\n\nb c\n\nd"],
  ["lines", "<div>a</div><div>b<br>c<br/><br>d</div>", "a\nb\nc\n\nd"],
  ["inline elements", "a <b>bold</b>, <i>i</i>x", "a bold, ix"],
  [
    "links",
    "see <a href='/x'>this</a>, <A HREF=\"/y?a&amp;b\">that</A>.",
    "see this [/x], that [/y?a&b].",
  ],
  [
    "links whose text is their URL, and links within the page",
    "<a href=http://a.b>http://a.b</a> <a href='#c'>c</a>",
    "http://a.b c",
  ],
  ["a link around a picture", "<a href='/x'><img src=y></a>", "[/x]"],
  ["lists", "<ul><li>a<li>b<ul><li>c</ul></ul>d", "* a\n* b\n\n* c\n\nd"],
  ["tables", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</table>", "a b\nc"],
  ["code", "<pre>a\n  b\n</pre>c", "a\n  b\n\n\nc"],
  ["entities", "&lt;b&gt; &eacute;&#228;&#xe4; &nope; &amp;lt; &#0;", "<b> éää &nope; &lt; \ufffd"],
  ["less-than signs that start no tag", "1 < 2 > 1 <3 </", "1 < 2 > 1 <3 </"],
  [
    "hidden content",
    "a<script>if (a<b) '</p>'</script><style>p{}</style><!-- <p> --><!DOCTYPE x>b",
    "ab",
  ],
  ["navigation", "a<nav><ul><li>x</ul><nav>y</nav>z</nav>b", "ab"],
  ["a greater-than sign in quotes", "<a title='>' href='/x'>a</a>", "a [/x]"],
])("a page with %s is converted to text", async (_name, html, text) => {
  expect(await htmlToText(html)).toBe(text);
});

const size = 4_500_000;
const hostilePieces = [
  "<a>",
  "<a href=x>",
  "<div>",
  "<table><tr><td>",
  "<ul><li>",
  "<!--",
  "<a ",
  "<",
  "</",
  "&",
  "&amp",
  "</a>",
  "<b></i>",
  "<script>",
  "<pre>\n",
  "<p>x",
  "<nav>",
  "<a href='",
  '<a x="1" ',
  "\n ",
  "<!",
  "<svg",
  "&#1;",
];

test.each(hostilePieces)(
  "a page of many repeated %j is converted to at most twice its length [SEC-09]",
  async (piece) => {
    const page = piece.repeat(Math.floor(size / piece.length));

    expect((await htmlToText(page)).length).toBeLessThanOrEqual(2 * size);
  },
);

test("other work runs while a long page is converted [SEC-09]", async () => {
  let runs = 0;
  let isRead = false;
  const runOtherWork = () => {
    runs += 1;
    if (!isRead) setImmediate(runOtherWork);
  };
  setImmediate(runOtherWork);

  await htmlToText("<a>".repeat(size / 3));
  isRead = true;

  expect(runs).toBeGreaterThan(size / 100_000 / 2);
});
