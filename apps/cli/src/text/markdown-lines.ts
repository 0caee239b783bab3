import { showControl } from "@dt/schema";
import type { Token, Tokens } from "marked";
import { codeLines } from "./code-lines.js";
import { lexMarkdown } from "./lex-markdown.js";
import { type Line, line, plainText, type Span, type Style, span } from "./span.js";
import { textWidth } from "./text-width.js";
import { wrapLine } from "./wrap-line.js";

/**
 * Lays Markdown out as lines of a screen, with control characters escaped. Text that costs too much to
 * parse is shown as source.
 */
export function markdownLines(markdown: string, width: number): readonly Line[] {
  const text = escapeControls(markdown);
  const tokens = lexMarkdown(text);
  return tokens === undefined ? wrapSource(text, width) : blocks(tokens, width);
}

/** Lays a text out as lines of a screen without parsing it, with control characters escaped. */
export function sourceLines(text: string, width: number): readonly Line[] {
  return wrapSource(escapeControls(text), width);
}

function escapeControls(text: string): string {
  return showControl(text).replaceAll("\t", "    ");
}

/** Lays out blocks, with a blank line between two blocks if the source has a blank line there. */
function blocks(tokens: readonly Token[], width: number): readonly Line[] {
  const lines: Line[] = [];
  for (const token of tokens) {
    if (token.type === "space") {
      if (lines.length > 0) lines.push([]);
    } else {
      const last = lines.at(-1);
      // Headings, code and tables always have a blank line before them.
      const isApart = token.type === "heading" || token.type === "code" || token.type === "table";
      if (isApart && last !== undefined && last.length > 0) lines.push([]);
      lines.push(...block(token, width));
    }
  }
  while (lines.length > 0 && lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function block(token: Token, width: number): readonly Line[] {
  switch (token.type) {
    case "heading":
      return paragraph(inline(token.tokens ?? [], { isBold: true, colour: "cyan" }), width);
    case "paragraph":
    case "text":
      return paragraph(inline(token.tokens ?? [token], undefined), width);
    case "code":
      return codeLines({ language: token.lang ?? "", lines: token.text.split("\n") }, width);
    case "list":
      return list(token as Tokens.List, width);
    case "blockquote":
      return indented(blocks(token.tokens ?? [], width - 2), [span("│ ", { isDim: true })]);
    case "hr":
      return [line("─".repeat(Math.min(width, 40)), { isDim: true })];
    case "table":
      return table(token as Tokens.Table, width);
    default:
      // HTML, definitions and all other blocks are shown as source.
      return wrapSource(token.raw, width);
  }
}

function wrapSource(text: string, width: number): readonly Line[] {
  return text
    .trimEnd()
    .split("\n")
    .flatMap((each) => wrapLine(line(each), { width }));
}

function indented(lines: readonly Line[], prefix: Line): readonly Line[] {
  return lines.map((each) => [...prefix, ...each]);
}

function paragraph(spans: readonly Span[], width: number): readonly Line[] {
  return linesOf(spans).flatMap((each) => wrapLine(each, { width }));
}

/** Splits spans into lines at the line breaks of the source. */
function linesOf(spans: readonly Span[]): Line[] {
  const lines: Span[][] = [[]];
  for (const { text, style } of spans) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push(span(part, style));
    }
  }
  return lines;
}

function inline(tokens: readonly Token[], style: Style | undefined): readonly Span[] {
  return tokens.flatMap((token): readonly Span[] => {
    switch (token.type) {
      case "strong":
        return inline(token.tokens ?? [], { ...style, isBold: true });
      case "em":
        return inline(token.tokens ?? [], { ...style, isItalic: true });
      case "del":
        return [span("~", style), ...inline(token.tokens ?? [], style), span("~", style)];
      case "codespan":
        return [span(token.text, { ...style, colour: "cyan" })];
      case "br":
        return [span("\n", style)];
      case "link":
        return link(token as Tokens.Link, style);
      case "image":
        return [span(`[image: ${token.text || token.href}]`, { ...style, isDim: true })];
      case "escape":
        return [span(unescapeHtml(token.text), style)];
      case "text":
        return token.tokens === undefined
          ? [span(unescapeHtml(token.text), style)]
          : inline(token.tokens, style);
      default:
        return [span(token.raw, style)];
    }
  });
}

// Lays out a link. The address is always shown, because the label may contain another address.
function link({ href, tokens, text }: Tokens.Link, style: Style | undefined): readonly Span[] {
  const label = inline(tokens, { ...style, isUnderlined: true });
  return text === href ? label : [...label, span(` (${href})`, { ...style, isDim: true })];
}

function list({ items, ordered, start }: Tokens.List, width: number): readonly Line[] {
  const first = Number(start) || 1;
  return items.flatMap((item, index) => {
    const sign = ordered ? `${first + index}. ` : "• ";
    const check = item.task ? (item.checked ? "[x] " : "[ ] ") : "";
    const indent = textWidth(sign);
    const tokens = item.tokens.filter(({ type }) => type !== "checkbox");
    const lines = blocks(tokens, Math.max(1, width - indent - check.length));
    return (lines.length === 0 ? [[]] : lines).map((each, row) => [
      span(row === 0 ? sign : " ".repeat(indent), { isDim: true }),
      ...(row === 0 && check !== "" ? [span(check)] : []),
      ...each,
    ]);
  });
}

function table({ header, rows, align }: Tokens.Table, width: number): readonly Line[] {
  const cells = [header, ...rows].map((row) =>
    row.map((cell) => inline(cell.tokens, undefined).filter(({ text }) => text !== "\n")),
  );
  const widths = header.map((_, column) =>
    Math.max(...cells.map((row) => textWidth(plainText(row[column] ?? [])))),
  );
  const total = widths.reduce((sum, each) => sum + each + 3, -3);
  if (total > width) return narrowTable(cells, width);
  return cells.flatMap((row, index) => {
    const joined = row.flatMap((cell, column) => {
      const free = Math.max(0, (widths[column] ?? 0) - textWidth(plainText(cell)));
      const left = leftPadding(align[column], free);
      return [
        ...(column === 0 ? [] : [span(" │ ", { isDim: true })]),
        span(" ".repeat(left)),
        ...(index === 0 ? cell.map(({ text }) => span(text, { isBold: true })) : cell),
        span(" ".repeat(free - left)),
      ];
    });
    const rule = widths.map((each) => "─".repeat(each)).join("─┼─");
    return index === 0 ? [joined, line(rule, { isDim: true })] : [joined];
  });
}

/** Returns the number of free columns that come before the text of a cell. */
function leftPadding(align: Tokens.Table["align"][number] | undefined, free: number): number {
  if (align === "right") return free;
  return align === "center" ? Math.floor(free / 2) : 0;
}

function narrowTable(cells: readonly (readonly Line[])[], width: number): readonly Line[] {
  const [header = [], ...rows] = cells;
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [[]] : []),
    ...row.flatMap((cell, column) =>
      wrapLine([span(`${plainText(header[column] ?? [])}: `, { isBold: true }), ...cell], {
        width,
      }),
    ),
  ]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

// Decodes HTML entities, which models write in Markdown and a terminal does not decode.
function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
