import { showControl } from "@dt/schema";
import { findCodeLanguage } from "./code-languages.js";
import { type CodeState, highlightLine } from "./highlight-code.js";
import { type Line, line, span } from "./span.js";
import { wrapLine } from "./wrap-line.js";

/** Lines of a code block. */
export interface Code {
  readonly language: string;
  readonly lines: readonly string[];
  /** Comment or string that the previous lines left open. */
  readonly state?: CodeState | undefined;
}

const GUTTER: Line = [span("  ")];

/** Lays code out as lines of a screen, highlighted if its language is known. */
export function codeLines(code: Code, width: number): readonly Line[] {
  const language = findCodeLanguage(code.language.split(/[\s,{]/, 1)[0] ?? "");
  let { state } = code;
  return code.lines.flatMap((each) => {
    const text = showControl(each).replaceAll("\t", "    ");
    if (language === undefined) {
      return wrapLine(line(text, { colour: "yellow" }), { width, first: GUTTER });
    }
    const highlighted = highlightLine(text, language, state);
    ({ state } = highlighted);
    return wrapLine(highlighted.line, { width, first: GUTTER });
  });
}
