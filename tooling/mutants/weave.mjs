/** Name of the function in a woven file that returns whether a mutant is selected. */
const IS_SELECTED = "__isMutant";

/** Applies one mutant to the text of a file. */
export function applyMutant(text, mutant) {
  return text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
}

/**
 * Writes all mutants of a file into its text. The woven code checks at run time which mutant is selected,
 * so that one build contains all mutants.
 *
 * @param {string} text
 * @param {(import("./operators.mjs").Mutant & { id: number })[]} mutants
 * @param {string} selection path of the file that names the selected mutant
 */
export function weave(text, mutants, selection) {
  if (mutants.length === 0) return text;
  const hosts = groupByHost(mutants);
  return `${prelude(selection)}${weaveRange(text, hosts, 0, text.length)}`;
}

/** Groups mutants by host, outermost first. */
function groupByHost(mutants) {
  const hosts = new Map();
  for (const mutant of mutants) {
    const key = `${mutant.hostStart}:${mutant.hostEnd}:${mutant.host}`;
    const host = hosts.get(key) ?? {
      kind: mutant.host,
      start: mutant.hostStart,
      end: mutant.hostEnd,
      mutants: [],
    };
    host.mutants.push(mutant);
    hosts.set(key, host);
  }
  return [...hosts.values()].sort(
    (one, other) => one.start - other.start || other.end - one.end || rank(one) - rank(other),
  );
}

/** Returns the rank of a host among hosts with equal bounds. A statement comes before its expression. */
function rank(host) {
  return ["statement", "property", "entry", "expression"].indexOf(host.kind);
}

function weaveRange(text, hosts, start, end) {
  let woven = "";
  let position = start;
  for (let index = 0; index < hosts.length; ) {
    const host = hosts[index];
    let next = index + 1;
    while (next < hosts.length && hosts[next].start < host.end) next += 1;
    woven += text.slice(position, host.start);
    woven += weaveHost(text, host, hosts.slice(index + 1, next));
    position = host.end;
    index = next;
  }
  return woven + text.slice(position, end);
}

function weaveHost(text, host, inner) {
  const original = weaveRange(text, inner, host.start, host.end);
  const checks = host.mutants.map((mutant) => `${IS_SELECTED}(${mutant.id})`);
  switch (host.kind) {
    case "statement":
      return `{ if (!(${checks.join(" || ")})) ${original} }`;
    case "property":
      return `...(${checks.join(" || ")} ? {} : { ${original} })`;
    case "entry":
      return `{ if (${checks.join(" || ")}) return; ${original.slice(1)}`;
    default: {
      const cases = host.mutants.map((mutant) => {
        const changed =
          text.slice(host.start, mutant.start) +
          mutant.replacement +
          text.slice(mutant.end, host.end);
        return `${IS_SELECTED}(${mutant.id}) ? (${endLineComment(changed)}) : `;
      });
      return `(${cases.join("")}${original})`;
    }
  }
}

/** Adds a line break after a text with a line comment, because the comment would hide the next code. */
function endLineComment(text) {
  return text.includes("//") ? `${text}\n` : text;
}

/**
 * Returns the code at the top of a woven file. The code reads the id of the selected mutant and the path of the trace
 * from the selection file, because environment variables would not reach all child processes of tests.
 */
function prelude(selection) {
  const read = `const fs = process.getBuiltinModule("fs"); const [id, trace] = fs.readFileSync(${JSON.stringify(selection)}, "utf8").split("\\n");`;
  const note = `const seen = new Set(); const file = fs.openSync(trace, "r+"); return (n) => { if (!seen.has(n)) { seen.add(n); fs.writeSync(file, "1", n); } return false; };`;
  const create = `() => { if (globalThis.process?.getBuiltinModule === undefined) return () => false; ${read} if (trace) { ${note} } const selected = Number(id); return (n) => n === selected; }`;
  return `const ${IS_SELECTED} = (globalThis.__mutants ??= (${create})()); `;
}
