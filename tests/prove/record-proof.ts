import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";

const file = path.resolve(import.meta.dirname, "../../docs/proofs.md");

const HEADING = `# Proofs

The results of \`npm run prove\`. Each run appends its own row, failed runs included.

| date | proof | count | seconds | outcome |
|---|---|---|---|---|
`;

/** Runs a proof and appends its result to docs/proofs.md, even if the proof fails. */
export async function recordProof(
  name: string,
  count: number,
  prove: () => Promise<string>,
): Promise<void> {
  const startedAt = performance.now();
  let outcome = "failed";
  try {
    outcome = await prove();
  } finally {
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const date = new Date().toISOString().slice(0, 16).replace("T", " ");
    if (!existsSync(file)) writeFileSync(file, HEADING);
    appendFileSync(file, `| ${date} | ${name} | ${count} | ${seconds} | ${outcome} |\n`);
  }
}
