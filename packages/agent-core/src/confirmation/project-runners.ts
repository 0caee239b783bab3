import type { ShellPart } from "../shell/shell-part.js";
import { isInterpreter } from "./is-interpreter.js";

/** A program that builds or tests the project, as the project's own files tell it to. */
interface Runner {
  /** The words after the program that say what it does; each is matched in full. */
  readonly words: readonly RegExp[];
  /** Options that neither write elsewhere nor load other code. Any other is not covered. */
  readonly options: readonly string[];
  /** Whether no further words may follow but options. */
  readonly isAlone?: boolean;
}

const scriptName = /^\w[\w:.-]*$/;
const usualScript =
  /^(test|build|lint|typecheck|type-check|check|format|coverage)([:.-][\w:.-]+)?$/;

const testOptions = [
  ...["--watch", "--run", "--bail", "--silent", "--verbose", "--coverage", "--no-coverage", "--ci"],
  ...["-t", "--testNamePattern", "--testTimeout", "--runInBand", "-i", "--project"],
];
const cargoOptions = [
  ...[
    "--release",
    "--workspace",
    "--all",
    "--all-targets",
    "--all-features",
    "--features",
    "--doc",
  ],
  ...["--no-default-features", "--lib", "--bins", "--bin", "--tests", "--test", "--package", "-p"],
  ...["--verbose", "-v", "--quiet", "-q", "--locked", "--offline", "--no-run", "--no-fail-fast"],
  ...["--nocapture", "--test-threads", "--ignored", "--exact"],
];
const goOptions = [
  ...["-v", "-race", "-short", "-count", "-run", "-bench", "-timeout", "-failfast", "-cover"],
  ...["-tags"],
];
const pytestOptions = [
  ...["-v", "-q", "-x", "-s", "-k", "-m", "--verbose", "--quiet", "--lf", "--ff", "--maxfail"],
  ...["--tb", "--no-header", "-ra", "-rA", "--durations", "--co", "--collect-only"],
];
const tscOptions = [
  ...["--noEmit", "-p", "--project", "-b", "--build", "--watch", "-w", "--pretty", "--strict"],
  ...["--skipLibCheck", "--listFiles"],
];
const makeOptions = ["-j", "-k", "-s", "-B", "--silent", "--keep-going", "--always-make"];

const runners: Readonly<Record<string, readonly Runner[]>> = {
  npm: [
    { words: [/^test$/], options: testOptions },
    { words: [/^run$/, scriptName], options: testOptions },
  ],
  pnpm: [
    { words: [/^run$/, scriptName], options: testOptions },
    { words: [usualScript], options: testOptions },
  ],
  // Unlike the others, `yarn run` falls back to programs.
  yarn: [
    { words: [/^run$/, usualScript], options: testOptions },
    { words: [usualScript], options: testOptions },
  ],
  bun: [{ words: [/^test$/], options: testOptions }],
  vitest: [{ words: [/^run$/], options: testOptions }],
  jest: [{ words: [], options: testOptions }],
  cargo: [{ words: [/^(test|build|check|clippy)$/], options: cargoOptions }],
  go: [{ words: [/^(test|build|vet)$/], options: goOptions }],
  pytest: [{ words: [], options: pytestOptions }],
  tsc: [{ words: [], options: tscOptions }],
  make: [{ words: [scriptName], options: makeOptions, isAlone: true }],
};

const withVersion = new Set([
  ...["node", "npm", "pnpm", "yarn", "bun", "deno", "python", "python3", "cargo", "rustc", "tsc"],
  ...["git", "make", "vitest", "jest", "pytest"],
]);

/** The words of a command that builds or tests the project; undefined for any other. */
export function findRunnerWords(
  name: string,
  args: ShellPart["args"],
): readonly string[] | undefined {
  const literal = args.filter((arg) => arg !== undefined);
  if (literal.length < args.length) return undefined;
  if (literal.length === 1 && literal[0] === "--version" && withVersion.has(name)) {
    return [name, "--version"];
  }
  const runner = Object.hasOwn(runners, name)
    ? runners[name]?.find((each) => isRunBy(each, literal))
    : undefined;
  return runner && [name, ...literal.slice(0, runner.words.length)];
}

function isRunBy({ words, options, isAlone = false }: Runner, args: readonly string[]): boolean {
  const named = words.every((word, index) => isNamed(args[index] ?? "", word));
  const rest = args.slice(words.length);
  return (
    named &&
    rest.every((arg) =>
      arg.startsWith("-") ? isKnownOption(arg, options) : !isAlone && staysInside(arg),
    )
  );
}

function isNamed(arg: string, word: RegExp): boolean {
  return word.test(arg) && !isInterpreter(arg);
}

function isKnownOption(arg: string, options: readonly string[]): boolean {
  const [, option = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
  if (value !== undefined && !staysInside(value)) return false;
  const isCluster =
    /^-[A-Za-z]+\d*$/.test(arg) &&
    [...arg.slice(1).replace(/\d+$/, "")].every((letter) => options.includes(`-${letter}`));
  return option === "--" || options.includes(option) || isCluster;
}

// A word may be a file to run: it must lie in the project, and name no file of further options.
function staysInside(word: string): boolean {
  return !/^[/\\~@]|^[A-Za-z]:|=|:\/\//.test(word) && !word.split(/[/\\]/).includes("..");
}
