/** A piece of HTML. */
export type HtmlToken =
  | { readonly type: "text"; readonly text: string; readonly end: number }
  | {
      readonly type: "tag";
      readonly name: string;
      readonly isEnd: boolean;
      /** The text between the name and the end of the tag. */
      readonly attributes: string;
      readonly end: number;
    }
  /** A comment, a declaration, or the content of an element in {@link RAW}. */
  | { readonly type: "hidden"; readonly end: number };

const TAG_START = /<\/?([a-zA-Z][^\s/>]{0,30})/y;
/** Elements whose content is hidden and not parsed, each with the expression that finds its end. */
const RAW = new Map([
  ["script", /<\/script/gi],
  ["style", /<\/style/gi],
  ["title", /<\/title/gi],
  ["textarea", /<\/textarea/gi],
  ["template", /<\/template/gi],
  ["svg", /<\/svg/gi],
]);

/**
 * Splits HTML into tokens, about as browsers do. It builds no tree and never backtracks, so it takes
 * linear time even if tags are not closed.
 */
export function* readHtml(html: string): Generator<HtmlToken> {
  for (let at = 0; at < html.length; ) {
    const token = html[at] === "<" ? readMarkup(html, at) : readText(html, at);
    yield token;
    at = token.end;
    if (token.type === "tag" && !token.isEnd && RAW.has(token.name)) {
      at = endOfRaw(html, at, token.name);
      yield { type: "hidden", end: at };
    }
  }
}

function readText(html: string, at: number): HtmlToken {
  // The search starts at the second character, because the first one may be a `<` that starts no tag.
  const end = indexOf(html, "<", at + 1);
  return { type: "text", text: html.slice(at, end), end };
}

function readMarkup(html: string, at: number): HtmlToken {
  if (html.startsWith("<!--", at)) return { type: "hidden", end: indexOf(html, "-->", at + 4) + 3 };
  if (html[at + 1] === "!" || html[at + 1] === "?") {
    return { type: "hidden", end: indexOf(html, ">", at) + 1 };
  }
  TAG_START.lastIndex = at;
  const [start, name] = TAG_START.exec(html) ?? [];
  if (start === undefined || name === undefined) return readText(html, at);
  const from = at + start.length;
  const end = endOfTag(html, from);
  return {
    type: "tag",
    name: name.toLowerCase(),
    isEnd: start[1] === "/",
    attributes: html.slice(from, end),
    end: end + 1,
  };
}

/** Returns the position of the `>` that ends a tag. A `>` inside quotes does not end it. */
function endOfTag(html: string, from: number): number {
  let quote = "";
  for (let at = from; at < html.length; at += 1) {
    const char = html[at] ?? "";
    if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === ">") return at;
    else if ((char === '"' || char === "'") && html[at - 1] === "=") quote = char;
  }
  return html.length;
}

function endOfRaw(html: string, at: number, name: string): number {
  const end = RAW.get(name);
  if (end === undefined) return at;
  end.lastIndex = at;
  return end.exec(html)?.index ?? html.length;
}

function indexOf(html: string, sought: string, from: number): number {
  const found = html.indexOf(sought, from);
  return found < 0 ? html.length : found;
}
