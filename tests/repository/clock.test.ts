import path from "node:path";
import { expect, test } from "vitest";
import { withoutComments } from "./imports.js";
import { filesUnder, isTest, readText } from "./repository.js";

/** The only file of each package that may read the system clock. */
const CLOCK_FILES: Readonly<Record<string, string>> = {
  "agent-core": "clock.ts",
  client: "transport/wall-clock.ts",
  server: "clock.ts",
};

const CLOCK_READ =
  /\bDate\.now\b|\bperformance\.now\b|\bprocess\.hrtime\b|\bnew Date\(\s*\)|(?<!new )(?<![\w.])Date\(\s*\)/;

test.each(Object.entries(CLOCK_FILES))(
  "packages/%s reads the system clock only in %s",
  (name, clockFile) => {
    const allowed = path.posix.join(`packages/${name}/src`, clockFile);
    const sources = sourcesOf(name).filter((file) => file !== allowed);

    expect(readText(allowed)).toMatch(CLOCK_READ);
    expect(sources.flatMap(findClockReads)).toEqual([]);
  },
);

test("packages/schema never reads the system clock", () => {
  expect(sourcesOf("schema").flatMap(findClockReads)).toEqual([]);
});

test.each([
  ["const at = Date.now();", true],
  ["options.now ?? Date.now", true],
  ["const start = performance.now();", true],
  ["process.hrtime.bigint()", true],
  ["new Date().toISOString()", true],
  ["new Date( )", true],
  ["Date()", true],
  ["new Date(now())", false],
  ["Date.parse(text)", false],
  ["toDate()", false],
])("CLOCK_READ.test(%j) returns %s", (code, isRead) => {
  expect(CLOCK_READ.test(code)).toBe(isRead);
});

function sourcesOf(name: string): string[] {
  const folder = `packages/${name}/src`;
  return filesUnder(folder, /\.tsx?$/).filter(
    (file) => !isTest(file) && !file.startsWith(`${folder}/testing/`),
  );
}

function findClockReads(file: string): string[] {
  return withoutComments(readText(file))
    .split("\n")
    .flatMap((line, index) =>
      CLOCK_READ.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [],
    );
}
