/** Share of faults that tests must notice in every package. */
export const REQUIRED_SHARE = 0.92;

/**
 * @param {readonly { mutant: { package: string }, isNoticed: boolean }[]} outcomes
 */
export function countByPackage(outcomes) {
  const counts = new Map();
  for (const { mutant, isNoticed } of outcomes) {
    const count = counts.get(mutant.package) ?? { package: mutant.package, noticed: 0, total: 0 };
    count.total += 1;
    if (isNoticed) count.noticed += 1;
    counts.set(mutant.package, count);
  }
  return [...counts.values()];
}

/** Returns true if every package reaches the required share. */
export function isShareReached(counts) {
  return counts.every(({ noticed, total }) => noticed >= total * REQUIRED_SHARE);
}

export function formatTable(counts) {
  const rows = counts.map(({ package: name, noticed, total }) => [
    name,
    String(total),
    String(noticed),
    String(total - noticed),
    `${((100 * noticed) / total).toFixed(1)} %`,
  ]);
  const head = ["package", "faults", "noticed", "survived", "share"];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

export function formatSurvivor({ mutant, tests, undecided }) {
  const where = `${mutant.file}:${mutant.line}`;
  const seen = tests === 0 ? "no test reaches it" : `${tests - undecided} test files passed`;
  return `${where}  ${mutant.operator}  ${mutant.change}  (${seen}${formatUndecided(undecided)})`;
}

/** Describes the fate of a mutant that no test noticed. */
export function formatFate({ undecided }) {
  return `SURVIVED${formatUndecided(undecided)}`;
}

/**
 * Names the undecided test files: they failed with the mutant and without it, probably because the machine
 * was slow.
 */
function formatUndecided(undecided) {
  return undecided > 0
    ? `; ${undecided} test files failed even without the fault; run --survivors`
    : "";
}
