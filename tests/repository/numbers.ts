/** A figure of a document that a comment ties to a constant of the code. */
export interface StatedNumber {
  /** The figure with its unit, as a reader sees it. */
  readonly figure: string;
  /** The values that the figure can mean, in the units of the code: bytes and milliseconds. */
  readonly values: readonly number[];
  readonly file: string;
  readonly name: string;
}

const UNITS: Readonly<Record<string, readonly number[]>> = {
  "%": [0.01],
  KiB: [1024],
  MiB: [1024 ** 2],
  KB: [1000, 1024],
  kB: [1000, 1024],
  MB: [1000 ** 2, 1024 ** 2],
  ms: [1],
  s: [1000],
  second: [1000],
  minute: [60_000],
  hour: [3_600_000],
  day: [86_400_000],
};

/** Reads each figure that is followed by a comment `<!-- number: FILE#NAME -->`. */
export function statedNumbersIn(markdown: string): StatedNumber[] {
  const mark = /([\d,.]+)(?: ([A-Za-z]+|%))?<!-- number: (\S+)#(\w+) -->/g;
  return [...markdown.matchAll(mark)].map(([, digits = "", unit, file = "", name = ""]) => {
    const factors = unit === undefined ? [1] : (UNITS[unit.replace(/(?<=..)s$/, "")] ?? []);
    const values = factors.map((factor) => Number(digits.replaceAll(",", "")) * factor);
    return { figure: [digits, unit ?? []].flat().join(" "), values, file, name };
  });
}

/** Finds the value of a constant, a field or a default in a source: `NAME = 4 * 1024`, `name: 100`. */
export function findNumber(source: string, name: string): number | undefined {
  const declared = new RegExp(`\\b${name}\\b(?:: [\\w.]+)?(?: =|:) ([\\d_.]+(?: \\* [\\d_]+)*)\\b`);
  const product = declared.exec(source)?.[1];
  return product
    ?.split(" * ")
    .map((factor) => Number(factor.replaceAll("_", "")))
    .reduce((result, factor) => result * factor);
}
