import { ToolError } from "../../errors/tool-error.js";
import { type GlobPart, parseGlob } from "./parse-glob.js";

/** A compiled glob, for comparison with many names. */
export interface Glob {
  /** Number of states; a comparison takes at most this many steps per character of a name. */
  readonly states: number;
  /** Number of steps of all comparisons so far. */
  readonly steps: number;
  matches(name: string): boolean;
}

/** Maximum number of steps for all comparisons of one tool call. */
export const MAX_GLOB_STEPS = 25_000_000;

/** Throws `too_costly` if the comparisons of one tool call took more than {@link MAX_GLOB_STEPS}. */
export function checkGlobSteps(steps: number): void {
  if (steps <= MAX_GLOB_STEPS) return;
  throw new ToolError(
    "too_costly",
    "comparing the globs with so many names takes too long; use fewer or simpler globs, or a smaller directory",
  );
}

type State =
  | { readonly type: "end" }
  | { readonly type: "split"; readonly next: number[] }
  | {
      readonly type: "character";
      readonly fits: (code: number) => boolean;
      readonly next: number;
    };

const SLASH = "/".charCodeAt(0);
const isSlash = (code: number) => code === SLASH;
const isNoSlash = (code: number) => code !== SLASH;

/**
 * Compiles a glob. The matcher follows all possibilities at once and never backtracks, so a
 * comparison takes time proportional to the length of the glob times the length of the name. Throws
 * `invalid_pattern` if the glob cannot be parsed.
 *
 * `*`, `?` and `[a-z]` match within a path segment, and `**` matches across directories. `{a,b}`
 * matches `a` or `b`. `\` escapes a character. `*` also matches names that begin with a dot.
 */
export function compileGlob(pattern: string): Glob {
  const states: State[] = [{ type: "end" }];
  const parts = parseGlob(pattern);
  const start = addParts(parts, 0);
  const matcher = createMatcher(states, start);
  const suffix = literalSuffix(parts);
  return {
    states: states.length,
    get steps() {
      return matcher.steps;
    },
    // This quick test rejects most names.
    matches: (name) => name.endsWith(suffix) && matcher.matches(name),
  };

  function add(state: State): number {
    return states.push(state) - 1;
  }

  /** Adds the states of the parts, the last part first. Returns the state at which the parts begin. */
  function addParts(parts: readonly GlobPart[], next: number): number {
    return parts.reduceRight((after, part) => addPart(part, after), next);
  }

  function addPart(part: GlobPart, next: number): number {
    switch (part.type) {
      case "character":
        return add({ type: "character", fits: part.fits, next });
      case "name":
        return addLoop(next, (loop) => add({ type: "character", fits: isNoSlash, next: loop }));
      case "rest":
        return addLoop(next, (loop) => add({ type: "character", fits: () => true, next: loop }));
      case "directories":
        return addLoop(next, (loop) => {
          const slash = add({ type: "character", fits: isSlash, next: loop });
          return addLoop(slash, (inner) =>
            add({ type: "character", fits: isNoSlash, next: inner }),
          );
        });
      case "choice":
        return add({
          type: "split",
          next: part.branches.map((branch) => addParts(branch, next)),
        });
    }
  }

  /** Adds a loop that runs its body any number of times and then continues with `next`. */
  function addLoop(next: number, addBody: (loop: number) => number): number {
    const choices = [next];
    const loop = add({ type: "split", next: choices });
    choices.push(addBody(loop));
    return loop;
  }
}

/** Returns the literal characters at the end of a glob, such as `.ts` in `*.ts`. */
function literalSuffix(parts: readonly GlobPart[]): string {
  const last = parts.findLastIndex(
    (part) => part.type !== "character" || part.literal === undefined,
  );
  const characters = parts
    .slice(last + 1)
    .map((part) => (part.type === "character" ? part.literal : ""));
  return characters.join("");
}

/** A set of states, in the order in which they were added. Adding a state again does nothing. */
class StateSet {
  readonly #list: Int32Array;
  readonly #addedIn: Int32Array;
  #generation = 1;
  size = 0;

  constructor(states: number) {
    this.#list = new Int32Array(states);
    this.#addedIn = new Int32Array(states);
  }

  at(position: number): number {
    return this.#list[position] ?? 0;
  }

  has(index: number): boolean {
    return this.#addedIn[index] === this.#generation;
  }

  clear(): void {
    this.#generation += 1;
    this.size = 0;
  }

  add(index: number): void {
    if (this.has(index)) return;
    this.#addedIn[index] = this.#generation;
    this.#list[this.size] = index;
    this.size += 1;
  }
}

/**
 * Creates a matcher for the states of a glob. It reuses its sets, because creating them costs more than a
 * comparison.
 */
function createMatcher(states: readonly State[], start: number) {
  let current = new StateSet(states.length);
  let following = new StateSet(states.length);
  let steps = 0;
  return {
    get steps() {
      return steps;
    },
    matches(name: string): boolean {
      current.clear();
      reach(states, start, current);
      for (const char of name) {
        const code = char.codePointAt(0) ?? 0;
        following.clear();
        steps += current.size;
        for (let position = 0; position < current.size; position += 1) {
          const state = states[current.at(position)];
          if (state?.type === "character" && state.fits(code)) reach(states, state.next, following);
        }
        if (following.size === 0) return false;
        [current, following] = [following, current];
      }
      return current.has(0);
    },
  };
}

/** Adds a state, and all states that are reached from it without reading a character, to a set. */
function reach(states: readonly State[], first: number, reached: StateSet): void {
  let position = reached.size;
  reached.add(first);
  // States that are added during the loop are visited too.
  for (; position < reached.size; position += 1) {
    const state = states[reached.at(position)];
    if (state?.type === "split") for (const next of state.next) reached.add(next);
  }
}
