import { affectsPrograms } from "./affects-programs.js";
import { COMPUTED_PART, type ShellPart } from "./shell-part.js";

type Words = readonly (string | undefined)[];

/**
 * The syntax of a program that runs its last words as a command. If the program gets an unlisted option,
 * its command is unknown.
 */
interface Wrapper {
  /** Options without a value. */
  readonly flags?: readonly string[];
  /** Options with a value. The value is attached to the option, or is the next word. */
  readonly valued?: readonly string[];
  /** Number of words between the options and the command. */
  readonly operands?: number;
  /** True if `NAME=value` may come before the command. */
  readonly takesAssignments?: boolean;
  /** Options with which the program prints something and runs no command. */
  readonly printing?: readonly string[];
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: {},
  chrt: { flags: ["-b", "-f", "-i", "-o", "-r"], operands: 1 },
  command: { flags: ["-p"], printing: ["-v", "-V"] },
  doas: { flags: ["-n"], valued: ["-u"] },
  env: {
    flags: ["-i", "-0", "-", "--ignore-environment"],
    valued: ["-u", "--unset", "-C", "--chdir"],
    takesAssignments: true,
  },
  exec: { flags: ["-c", "-l"], valued: ["-a"] },
  ionice: { flags: ["-t"], valued: ["-c", "-n"] },
  nice: { valued: ["-n", "--adjustment"] },
  nohup: {},
  setsid: { flags: ["-c", "-f", "-w", "--fork", "--wait"] },
  stdbuf: { valued: ["-i", "-o", "-e"] },
  sudo: {
    flags: ["-A", "-b", "-E", "-H", "-k", "-n", "-P", "-S", "--non-interactive", "--stdin"],
    valued: ["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "--user", "--group"],
    takesAssignments: true,
  },
  taskset: { flags: ["-a", "-c", "--all-tasks", "--cpu-list"], operands: 1 },
  time: { flags: ["-p", "-v", "--verbose", "--portability"], valued: ["-f", "--format"] },
  timeout: {
    flags: ["-v", "--foreground", "--preserve-status", "--verbose"],
    valued: ["-k", "-s", "--kill-after", "--signal"],
    operands: 1,
  },
  xargs: {
    flags: ["-0", "-r", "-t", "-x", "--null", "--no-run-if-empty", "--verbose"],
    valued: ["-n", "-P", "-I", "-L", "-d", "-s", "-a", "-E", "--max-args", "--max-procs"],
  },
};

/**
 * Returns the command that a wrapper runs, or {@link COMPUTED_PART} if the command is unknown. The list is
 * empty for other programs, and for a wrapper that runs no command.
 */
export function findWrapped(name: string, args: Words): readonly ShellPart[] {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined) return [];
  const start = commandStart(args, wrapper);
  if (start === "unknown") return [COMPUTED_PART];
  if (start === "none" || start >= args.length) return [];
  const words = args.slice(start);
  const [program, ...rest] = name === "xargs" ? withXargsInput(words, args.slice(0, start)) : words;
  return [{ program, args: rest, writes: [] }];
}

function commandStart(args: Words, wrapper: Wrapper): number | "unknown" | "none" {
  let operands = wrapper.operands ?? 0;
  let isPastOptions = false;
  for (let index = 0; index < args.length; index++) {
    const word = args[index];
    if (word === undefined) return operands > 0 ? "unknown" : index;
    if (!isPastOptions && word.startsWith("-")) {
      if (wrapper.printing?.includes(word)) return "none";
      const width = optionWidth(word, wrapper);
      if (width === 0) return "unknown";
      isPastOptions = word === "--";
      index += width - 1;
    } else if (wrapper.takesAssignments && /^\w+=/.test(word)) {
      if (affectsPrograms(word.slice(0, word.indexOf("=")))) return "unknown";
    } else if (operands-- <= 0) return index;
  }
  return args.length;
}

/** Returns the number of words of an option and its value; zero if the option is unknown. */
function optionWidth(word: string, { flags = [], valued = [] }: Wrapper): number {
  if (word === "--" || flags.includes(word)) return 1;
  if (valued.includes(word)) return 2;
  const isAttached = valued.some((option) =>
    option.startsWith("--") ? word.startsWith(`${option}=`) : word.startsWith(option),
  );
  const isCluster =
    /^-\w+$/.test(word) && [...word.slice(1)].every((letter) => flags.includes(`-${letter}`));
  return isAttached || isCluster ? 1 : 0;
}

// Returns the words of a command that xargs runs. xargs adds words from its input, at the end or in place of
// the placeholder of -I.
function withXargsInput(words: Words, options: Words): Words {
  const placeholders = options.flatMap((option, index) => {
    if (!option?.startsWith("-I")) return [];
    return [option === "-I" ? (options[index + 1] ?? "") : option.slice(2)];
  });
  const hasPlaceholder = (word: string | undefined) =>
    placeholders.some((placeholder) => word?.includes(placeholder));
  return [...words.map((word) => (hasPlaceholder(word) ? undefined : word)), undefined];
}
