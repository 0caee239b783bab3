/** The comments, quotes and keywords of a language, for the highlighter. */
export interface CodeLanguage {
  /** Signs that begin a comment up to the end of the line. */
  readonly lineComments: readonly string[];
  readonly blockComment?: readonly [begin: string, end: string];
  /** Signs that begin and end a string, the longest first. */
  readonly quotes: readonly string[];
  /** The signs in `quotes` whose strings may span several lines. */
  readonly multiline: readonly string[];
  readonly keywords: ReadonlySet<string>;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

const C_LIKE = {
  lineComments: ["//"],
  blockComment: ["/*", "*/"],
  quotes: ['"', "'"],
  multiline: [],
} as const;

const SCRIPT: CodeLanguage = {
  ...C_LIKE,
  quotes: ["`", '"', "'"],
  multiline: ["`"],
  keywords: words(
    "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of override private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown using var void while yield",
  ),
};

const PYTHON: CodeLanguage = {
  lineComments: ["#"],
  quotes: ['"""', "'''", '"', "'"],
  multiline: ['"""', "'''"],
  keywords: words(
    "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
  ),
};

const SHELL: CodeLanguage = {
  lineComments: ["#"],
  quotes: ['"', "'"],
  multiline: ['"', "'"],
  keywords: words(
    "case do done elif else esac eval exec exit export fi for function if in local readonly return set shift source then trap unset until while",
  ),
};

const GO: CodeLanguage = {
  ...C_LIKE,
  quotes: ["`", '"', "'"],
  multiline: ["`"],
  keywords: words(
    "any bool break byte case chan const continue default defer else error fallthrough false for func go goto if import int int64 interface iota map nil package range return rune select string struct switch true type uint8 var",
  ),
};

const RUST: CodeLanguage = {
  ...C_LIKE,
  quotes: ['"'],
  keywords: words(
    "Err None Ok Option Result Self Some String Vec as async await bool box break const continue crate dyn else enum extern false fn for i32 i64 if impl in let loop match mod move mut pub ref return self static str struct super trait true type u32 u64 u8 unsafe use usize where while",
  ),
};

const C_FAMILY: CodeLanguage = {
  ...C_LIKE,
  keywords: words(
    "abstract auto bool boolean break byte case catch char class const constexpr continue default delete do double else enum explicit extends extern false final finally float for foreach func fun goto if implements import in include inline instanceof int interface internal is let long namespace new nil null nullptr object open operator override package private protected public readonly record ref return sealed short signed sizeof static string struct super switch template this throw throws true try typedef typename union unsigned using val var virtual void volatile when where while yield",
  ),
};

const RUBY: CodeLanguage = {
  lineComments: ["#"],
  quotes: ['"', "'"],
  multiline: [],
  keywords: words(
    "alias and begin break case class def do else elsif end ensure false for if in module next nil not or private protected public raise require rescue retry return self super then true unless until when while yield",
  ),
};

const SQL: CodeLanguage = {
  lineComments: ["--"],
  blockComment: ["/*", "*/"],
  quotes: ["'", '"'],
  multiline: ["'"],
  keywords: words(
    "ADD ALTER AND AS ASC BEGIN BETWEEN BY CASE COMMIT CONSTRAINT CREATE DEFAULT DELETE DESC DISTINCT DROP ELSE END EXISTS FOREIGN FROM GROUP HAVING IN INDEX INNER INSERT INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER OUTER PRIMARY REFERENCES RETURNING RIGHT ROLLBACK SELECT SET TABLE THEN UNION UNIQUE UPDATE USING VALUES VIEW WHEN WHERE WITH",
  ),
};

const DATA: CodeLanguage = {
  lineComments: ["#"],
  quotes: ['"', "'"],
  multiline: [],
  keywords: words("true false null yes no on off"),
};

const JSON_FAMILY: CodeLanguage = { ...DATA, lineComments: ["//"], quotes: ['"'] };

const STYLE_SHEET: CodeLanguage = {
  lineComments: [],
  blockComment: ["/*", "*/"],
  quotes: ['"', "'"],
  multiline: [],
  keywords: words("important media import keyframes supports layer from to"),
};

const MARKUP: CodeLanguage = {
  lineComments: [],
  blockComment: ["<!--", "-->"],
  quotes: ['"'],
  multiline: ['"'],
  keywords: words(""),
};

const LANGUAGES_BY_NAME: Readonly<Record<string, CodeLanguage>> = {
  ...named(SCRIPT, "js jsx ts tsx mjs cjs mts cts javascript typescript"),
  ...named(PYTHON, "py python python3"),
  ...named(SHELL, "sh bash zsh shell console fish dockerfile makefile make"),
  ...named(GO, "go golang"),
  ...named(RUST, "rs rust"),
  ...named(C_FAMILY, "c h cc cpp c++ hpp cs csharp java kt kotlin swift dart scala php proto"),
  ...named(RUBY, "rb ruby"),
  ...named(SQL, "sql postgres postgresql sqlite mysql"),
  ...named(DATA, "yaml yml toml ini conf properties env"),
  ...named(JSON_FAMILY, "json jsonc json5"),
  ...named(STYLE_SHEET, "css scss less"),
  ...named(MARKUP, "html xml svg vue"),
};

function named(language: CodeLanguage, names: string): Record<string, CodeLanguage> {
  return Object.fromEntries(names.split(" ").map((name) => [name, language]));
}

/** Finds a language by the name after the opening fence of a code block. */
export function findCodeLanguage(name: string): CodeLanguage | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(LANGUAGES_BY_NAME, key) ? LANGUAGES_BY_NAME[key] : undefined;
}
