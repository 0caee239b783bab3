import { Lexer, type Token, Tokenizer, type Tokens, type TokensList } from "marked";

/** Maximum number of characters. A longer text is not parsed. */
const MAX_LENGTH = 16_000;
/**
 * Maximum number of characters that the parser may scan in total. A sign that is never closed makes the
 * parser scan the rest of the text.
 */
const MAX_STEPS = 50_000;
/** Maximum nesting depth of blocks and of emphasis. */
const MAX_DEPTH = 16;
/** Maximum number of columns of a table. The parser pads each row, so a wide header makes all rows slow. */
const MAX_COLUMNS = 64;

/**
 * Parses Markdown into tokens. Returns undefined if that costs too much.
 *
 * The parser recurses without a limit and is quadratic for some texts. Its work is counted, not timed,
 * so that the same text has the same result on every machine. Pure.
 */
export function lexMarkdown(text: string): readonly Token[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const budget = createBudget();
  try {
    return new BoundedLexer(budget).lex(text);
  } catch {
    // The parser needed too many steps, or it has a bug. The screen must continue in both cases.
    return undefined;
  }
}

interface Budget {
  /** Adds to the counted steps; throws if they exceed the maximum. */
  spend(steps: number): void;
  /** Runs a function one level deeper; throws if that level is too deep. */
  within<T>(run: () => T): T;
}

function createBudget(): Budget {
  let remainingSteps = MAX_STEPS;
  let depth = 0;
  return {
    spend(steps) {
      remainingSteps -= steps;
      if (remainingSteps < 0) throw new RangeError("this Markdown takes too many steps to read");
    },
    within(run) {
      if (depth >= MAX_DEPTH) throw new RangeError("this Markdown is nested too deep");
      depth += 1;
      try {
        return run();
      } finally {
        depth -= 1;
      }
    },
  };
}

class BoundedLexer extends Lexer {
  readonly #budget: Budget;

  constructor(budget: Budget) {
    super({ gfm: true, tokenizer: new BoundedTokenizer(budget) });
    this.#budget = budget;
  }

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[] {
    this.#budget.spend(src.length + 1);
    return this.#budget.within(() => super.blockTokens(src, tokens, isClipped));
  }

  override inlineTokens(src: string, tokens?: Token[]): Token[] {
    this.#budget.spend(src.length + 1);
    return this.#budget.within(() => super.inlineTokens(src, tokens));
  }
}

/** Counts the scans for signs that are never closed, and limits the columns of a table. */
class BoundedTokenizer extends Tokenizer {
  readonly #budget: Budget;

  constructor(budget: Budget) {
    super();
    this.#budget = budget;
  }

  override table(src: string): Tokens.Table | undefined {
    const head = src.slice(0, src.indexOf("\n") + 1);
    if (head.split("|").length > MAX_COLUMNS + 2) return undefined;
    return super.table(src);
  }

  override def(src: string): Tokens.Def | undefined {
    return this.#count(super.def(src), src, /^ {0,3}\[/);
  }

  override html(src: string): Tokens.HTML | undefined {
    return this.#count(super.html(src), src, /^ {0,3}</);
  }

  override tag(src: string): Tokens.Tag | undefined {
    return this.#count(super.tag(src), src, /^</);
  }

  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    return this.#count(super.link(src), src, /^!?\[/);
  }

  override emStrong(
    src: string,
    maskedSrc: string,
    previous = "",
  ): Tokens.Em | Tokens.Strong | undefined {
    // Inside a word the parser treats "_" as a letter and scans no further.
    const sign = /[\p{L}\p{N}]/u.test(previous) ? /^\*/ : /^[*_]/;
    return this.#count(super.emStrong(src, maskedSrc, previous), src, sign);
  }

  override del(src: string, maskedSrc: string, previous?: string): Tokens.Del | undefined {
    return this.#count(super.del(src, maskedSrc, previous), src, /^~/);
  }

  // Counts the scan for a sign that is never closed. Text between closed signs is counted when it is parsed.
  #count<T>(found: T | undefined, src: string, sign: RegExp): T | undefined {
    if (found === undefined && sign.test(src)) this.#budget.spend(src.length);
    return found;
  }
}
