import { showControlOnLine } from "@dt/schema";
import { layoutText } from "../../prompt/layout-text.js";
import { type Line, line, span } from "../../text/span.js";
import { cutToWidth, graphemesOf } from "../../text/text-width.js";
import type { Menu, ScreenState } from "../state/screen-state.js";

const SIGN = "> ";
const PLACEHOLDER = "Ask anything · / for commands";

/**
 * Maximum length of the horizontal lines above and below the input field. A line as wide as the window would
 * wrap when the window becomes narrower, and tmux would then scroll rows away that can no longer be erased.
 */
const MAX_RULE_LENGTH = 40;

/** Returns the number of columns for the text of the input field. */
export function promptWidth(columns: number): number {
  return Math.max(1, columns - SIGN.length);
}

/** Size of the input field, and properties that change its look. */
export interface PromptSize {
  readonly width: number;
  readonly height: number;
  readonly hasFocus: boolean;
  /** True if a prompt can mention files. */
  readonly hasFiles: boolean;
  /** True if there is room for the horizontal lines above and below the input field. */
  readonly hasRules: boolean;
}

/**
 * Lays out the input field; a long text is cut to the rows around the cursor. The cursor is drawn as text,
 * because the cursor of the terminal stays below the frame, where a resize cannot displace it. Pure.
 */
export function promptLines(
  { edit }: Pick<ScreenState, "edit">,
  size: PromptSize,
): readonly Line[] {
  const layout = layoutText(edit, promptWidth(size.width));
  const { rows, cursorRow } = layout;
  const height = Math.max(1, size.height);
  const first = Math.min(Math.max(0, cursorRow - height + 1), Math.max(0, rows.length - height));
  const rule = line("─".repeat(Math.min(size.width, MAX_RULE_LENGTH)), { isDim: true });
  const body = rows.slice(first, first + height).map(({ text }, index) => {
    const isCursorHere = size.hasFocus && first + index === cursorRow;
    return [
      span(first + index === 0 ? SIGN : "  ", { colour: "cyan", isBold: true }),
      ...(isCursorHere ? withCursor(text, layout.cursorIndex) : [span(text)]),
    ];
  });
  const box = edit.text === "" ? [emptyLine(size)] : body;
  return size.hasRules ? [rule, ...box, rule] : box;
}

function emptyLine(size: PromptSize): Line {
  const shown = size.hasFiles ? `${PLACEHOLDER} · @ for files` : PLACEHOLDER;
  const hint = cutToWidth(shown, promptWidth(size.width));
  return [
    span(SIGN, { colour: "cyan", isBold: true }),
    span(hint.slice(0, 1), { isDim: true, isInverse: size.hasFocus }),
    span(hint.slice(1), { isDim: true }),
  ];
}

function withCursor(text: string, index: number): Line {
  const [grapheme = " "] = graphemesOf(text.slice(index, index + 64));
  return [
    span(text.slice(0, index)),
    span(grapheme, { isInverse: true }),
    span(text.slice(index + grapheme.length)),
  ];
}

/** Lays out the menu below the input field: the chosen line and the lines around it. Pure. */
export function menuLines(
  menu: Menu,
  chosen: number,
  size: { readonly width: number; readonly height: number },
): readonly Line[] {
  const { width, height } = size;
  const hint = menu.type === "commands" ? menu.hint : undefined;
  const all =
    menu.type === "files"
      ? menu.files.map((file) => ({ label: file, description: "" }))
      : menu.choices;
  const rows = Math.max(0, height - (hint === undefined ? 0 : 1));
  const first = Math.min(Math.max(0, chosen - rows + 1), Math.max(0, all.length - rows));
  const widest = Math.max(0, ...all.map(({ label }) => label.length));
  const labelWidth = Math.min(widest, Math.floor(width / 2));
  const lines = all.slice(first, first + rows).map(({ label, description }, index) => {
    const isChosen = first + index === chosen;
    const name = cutToWidth(showControlOnLine(label), description === "" ? width - 2 : labelWidth);
    const about = cutToWidth(showControlOnLine(description), width - labelWidth - 5);
    return [
      span(isChosen ? "› " : "  "),
      span(
        description === "" ? name : name.padEnd(labelWidth),
        isChosen ? { isBold: true, colour: "cyan" } : undefined,
      ),
      ...(about === "" ? [] : [span(`  ${about}`, { isDim: true })]),
    ];
  });
  if (hint === undefined || height <= 0) return lines;
  return [...lines, line(`  ${cutToWidth(showControlOnLine(hint), width - 2)}`, { isDim: true })];
}
