import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  applyMutant,
  countByPackage,
  findMutantsIn,
  findStale,
  formatTable,
  isShareReached,
  type Mutant,
  readEquivalents,
  takeSample,
  weave,
} from "../../tooling/mutants/index.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "dt-mutants-test-"));
const selection = path.join(folder, "selected");
afterAll(() => rmSync(folder, { recursive: true }));

// JavaScript that runs without a compiler and allows every kind of fault.
const SAMPLE = `export async function probe(a, b) {
  const log = [];
  const box = { a, limit: 3, ...(b && { b }), add(x) { this.last = x; return x + 1; } };
  if (a > 1 && b !== "x") log.push("early");
  else log.push("late");
  for (let i = 0; i < 2; i += 1) if (i === 1) log.push(box.add(i, a));
  const later = async () => { log.push("later"); };
  await later();
  const name = b?.name?.trim().toUpperCase() ?? "none";
  if (!a) throw new Error("a is missing");
  const boxOf = (key) => (key === "x" ? box : log);
  boxOf(b ?? "none").seen = 2 - a;
  while (log.length < box.limit) log.push(await Promise.resolve(name));
  return { log, seen: log.seen, name, box: { ...box, isOn: true }, last: a === 2 ? box.last : -1 };
}
`;

let loaded = 0;

async function outputOf(module: string): Promise<string> {
  Reflect.deleteProperty(globalThis, "__mutants");
  loaded += 1;
  const { probe } = await import(`data:text/javascript,${encodeURIComponent(module)}//${loaded}`);
  const inputs = [
    [0, "x"],
    [1, ""],
    [2, { name: " n " }],
    [3, "x"],
  ];
  const outputs = inputs.map(async (input) => {
    try {
      return JSON.stringify(await probe(...input));
    } catch (reason) {
      return String(reason);
    }
  });
  return (await Promise.all(outputs)).join("\n");
}

function find(mutants: readonly Mutant[], change: string): readonly string[] {
  return mutants.filter((mutant) => mutant.change === change).map(({ operator }) => operator);
}

test("findMutantsIn() finds every kind of fault in a sample source", () => {
  const mutants = findMutantsIn(SAMPLE);

  expect(new Set(mutants.map(({ operator }) => operator))).toEqual(
    new Set(
      "argument condition fallback literal negation operand operator property remove-await remove-statement return return-early".split(
        " ",
      ),
    ),
  );
  expect(find(mutants, "await later() → later()")).toEqual(["remove-await"]);
  expect(find(mutants, 'a > 1 && b !== "x" → a > 1 || b !== "x"')).toEqual(["operator"]);
  expect(find(mutants, "box.add(i, a) → box.add(i)")).toEqual(["argument"]);
  expect(find(mutants, "isOn: true → (removed)")).toEqual(["property"]);
  expect(find(mutants, 'boxOf(b ?? "none") → boxOf()')).toEqual(["argument"]);
  expect(mutants.find(({ change }) => change.startsWith("!a →"))?.line).toBe(10);
});

test("types, module names and error messages get no faults", () => {
  const found = findMutantsIn(`import { x } from "./x.js";
type Kind = "a" | "b";
export const load = (kind: Kind) => import("./y.js");
export class Fault extends Error {}
export function fail(): never { throw new Fault("in words"); }
`);

  expect(found.map(({ change }) => change)).toEqual([
    '{ throw new Fault("in words"); } → (returns at once)',
    'throw new Fault("in words"); → (removed)',
  ]);
});

test("the await in `return await` gets a fault only inside a try block or after a using statement", () => {
  const found = findMutantsIn(`export async function plain(a) { return await a.one(); }
export const short = async (a) => (await a.two());
export async function tried(a) { try { return await a.three(); } catch { return 0; } }
export async function held(a) { await using b = a.open(); { return await b.four(); } }
export async function outer(a) { try { return a.map(async () => await a.five()); } finally {} }
export async function read(a) { return (await a.six()).length; }
export async function late(a) { try { a.x(); } catch { return await a.seven(); } }
export async function last(a) { try { a.x(); } catch { return await a.eight(); } finally { a.y(); } }
`);

  const removed = found.filter(({ operator }) => operator === "remove-await");
  expect(removed.map(({ change }) => change)).toEqual([
    "await a.three() → a.three()",
    "await b.four() → b.four()",
    "await a.six() → a.six()",
    "await a.eight() → a.eight()",
  ]);
});

test("numbers get faults, but milliseconds get none", () => {
  const found = findMutantsIn(`const GRACE_MS = 10 * 1_000;
export const limits = { maxMs: 5, maxSteps: 6 };
export const wait = ({ pauseMs = 7, tries = 8 }) => pauseMs * tries * GRACE_MS;
`);

  const literals = found.filter(({ operator }) => operator === "literal");
  expect(literals.map(({ change }) => change)).toEqual(["6 → (6 + 1)", "8 → (8 + 1)"]);
});

test("a woven file behaves like the selected mutant, or like the original if none is selected", async () => {
  const mutants = findMutantsIn(SAMPLE).filter(
    ({ change }) => !/^(i < 2|i \+= 1|log.push\(await)/.test(change),
  );
  const woven = weave(SAMPLE, mutants, selection);
  const select = (id: number) => writeFileSync(selection, String(id));

  select(0);
  expect(await outputOf(woven)).toBe(await outputOf(SAMPLE));
  for (const mutant of mutants.filter(endsLoops)) {
    select(mutant.id);
    expect([mutant.change, await outputOf(woven)]).toEqual([
      mutant.change,
      await outputOf(applyMutant(SAMPLE, mutant)),
    ]);
  }
});

/** Returns true if the loops of the sample still terminate when the sample contains this fault. */
function endsLoops({ line, operator, change }: Mutant): boolean {
  return (
    !(line === 13 && /statement|condition|argument/.test(operator)) && !/limit|^3 →/.test(change)
  );
}

test("a seed selects the same sample each time, and never a skipped mutant", () => {
  const all = Array.from({ length: 50 }, (_, index) => index);
  const isSkipped = (index: number) => index % 2 === 0;
  const take = (seed: number) => takeSample(all, { seed, count: 10, isSkipped });

  expect(take(1)).toEqual(take(1));
  expect(take(1)).not.toEqual(take(2));
  expect(take(1)).toHaveLength(10);
  expect(take(1).every((index) => index % 2 === 1)).toBe(true);
  expect(takeSample(all, { seed: 1, count: 99, isSkipped })).toHaveLength(25);
});

test("a run fails if the tests notice fewer than 92 % of a package's mutants", () => {
  const outcomes = (name: string, noticed: number) =>
    Array.from({ length: 100 }, (_, index) => ({
      mutant: { package: name },
      isNoticed: index < noticed,
    }));

  const good = countByPackage([...outcomes("schema", 100), ...outcomes("server", 92)]);
  const bad = countByPackage([...outcomes("schema", 100), ...outcomes("server", 91)]);

  expect([isShareReached(good), isShareReached(bad)]).toEqual([true, false]);
  expect(formatTable(bad)).toContain("| server | 100 | 91 | 9 | 91.0 % |");
});

test("every known equivalent fault has a source line and a reason", () => {
  for (const listed of readEquivalents()) {
    expect(Object.keys(listed)).toEqual(["file", "code", "change", "reason"]);
    expect(listed.code).toBe(listed.code.trim());
    expect(listed.reason).toMatch(/^[A-Z].{20,}\.$/);
  }
});

test("a known equivalent fault still matches after its line moves, but not after it changes", () => {
  const source = "export const f = (a, b) => {\n  return a ?? b;\n};\n";
  const change = "a ?? b → b";
  const listed = { file: "f.ts", code: "return a ?? b;", change, reason: "It is a test." };
  const staleIn = (text: string) =>
    findStale(
      [listed],
      findMutantsIn(text).map((mutant) => ({ ...mutant, file: "f.ts" })),
    );

  expect(staleIn(source)).toEqual([]);
  expect(staleIn(`// A comment.\n\n${source}`)).toEqual([]);
  expect(staleIn(source.replace("b;", "c;"))).toEqual([listed]);
});
