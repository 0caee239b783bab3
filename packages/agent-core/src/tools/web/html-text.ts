import { setImmediate as pause } from "node:timers/promises";
import { decodeEntities } from "./decode-entities.js";
import { readHtml } from "./html-tokens.js";

/** Number of characters of HTML after which the conversion pauses, so that other work can run. */
const PIECE_LENGTH = 100_000;

/** Elements that begin and end a line. */
const LINES = new Set(
  "address article aside body dd div dt fieldset figcaption footer form header html li main option section summary tr".split(
    " ",
  ),
);
/** Elements with an empty line before and after them. */
const PARAGRAPHS = new Set(
  "blockquote details dl figure h1 h2 h3 h4 h5 h6 hr ol p pre table ul".split(" "),
);

/** Number of characters of text after which a page is cut. */
export const MAX_PAGE_LENGTH = 400_000;

/**
 * Converts HTML to the text that a reader sees, with the URLs of links. The text is cut a little
 * after {@link MAX_PAGE_LENGTH}.
 */
export async function htmlToText(html: string): Promise<string> {
  const page = createPage();
  let pausedAt = 0;
  for (const token of readHtml(html)) {
    if (token.type === "text") page.text(decodeEntities(token.text));
    if (token.type === "tag" && token.isEnd) page.close(token.name);
    if (token.type === "tag" && !token.isEnd) page.open(token.name, token.attributes);
    if (page.length() > MAX_PAGE_LENGTH) break;
    if (token.end - pausedAt < PIECE_LENGTH) continue;
    await pause();
    pausedAt = token.end;
  }
  return page.end();
}

/** Creates a builder that gets the tags and texts of a page and returns its visible text. */
function createPage() {
  const pieces: string[] = [];
  let length = 0;
  /** Number of line ends to write before the next word. */
  let lineBreaks = 0;
  let hasSpace = false;
  let preDepth = 0;
  /** Number of open navigation elements. Their content is left out. */
  let navDepth = 0;
  let link: { readonly address: string; readonly start: number } | undefined;

  function write(text: string): void {
    if (pieces.length > 0 && lineBreaks > 0) pieces.push("\n".repeat(lineBreaks));
    else if (pieces.length > 0 && hasSpace) pieces.push(" ");
    pieces.push(text);
    length += text.length + 1;
    lineBreaks = 0;
    hasSpace = false;
  }

  function breakLine(name: string): void {
    const wanted = PARAGRAPHS.has(name) ? 2 : LINES.has(name) ? 1 : 0;
    lineBreaks = Math.max(lineBreaks, wanted);
    if (name === "td" || name === "th") hasSpace = true;
  }

  function closeLink(): void {
    if (link === undefined) return;
    const { address, start } = link;
    link = undefined;
    const text = pieces.slice(start).join("").trim();
    if (address === "" || address.startsWith("#") || address === text) return;
    write(text === "" ? `[${address}]` : ` [${address}]`);
  }

  return {
    text(text: string): void {
      if (navDepth > 0) return;
      if (preDepth > 0) {
        write(text);
        return;
      }
      if (isSpace(text, 0)) hasSpace = true;
      const line = wordsOf(text).join(" ");
      if (line === "") return;
      write(line);
      if (isSpace(text, text.length - 1)) hasSpace = true;
    },
    open(name: string, attributes: string): void {
      if (name === "nav") navDepth += 1;
      if (navDepth > 0) return;
      breakLine(name);
      if (name === "br") lineBreaks = Math.min(lineBreaks + 1, 2);
      if (name === "pre") preDepth += 1;
      if (name === "li") write("* ");
      if (name !== "a") return;
      closeLink();
      link = { address: addressIn(attributes), start: pieces.length };
    },
    close(name: string): void {
      if (name === "nav") navDepth = Math.max(0, navDepth - 1);
      if (navDepth > 0) return;
      if (name === "a") closeLink();
      if (name === "pre") preDepth = Math.max(0, preDepth - 1);
      breakLine(name);
    },
    length: () => length,
    end(): string {
      closeLink();
      return pieces.join("").trim();
    },
  };
}

const MAX_ATTRIBUTES_LENGTH = 10_000;

function addressIn(attributes: string): string {
  const [, double, single, bare = ""] =
    /(?:^|\s)href\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(
      attributes.slice(0, MAX_ATTRIBUTES_LENGTH),
    ) ?? [];
  return decodeEntities((double ?? single ?? bare).trim());
}

/**
 * Splits a text into words. It uses no regular expression, because V8 limits the length of a match.
 */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && !isSpace(text, at)) continue;
    if (at > start) words.push(text.slice(start, at));
    start = at + 1;
  }
  return words;
}

function isSpace(text: string, at: number): boolean {
  const char = text[at];
  return char === " " || char === "\t" || char === "\n" || char === "\r" || char === "\f";
}
