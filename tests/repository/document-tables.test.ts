import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { citedIn } from "../requirements/citations.js";
import { PENDING } from "../requirements/pending.js";
import { REQUIREMENTS } from "../requirements/requirements.js";
import { readText, root } from "./repository.js";

/** One row of docs/documents.md. */
interface Row {
  readonly sentence: string;
  readonly id: string;
  readonly proof: string;
  readonly files: readonly string[];
}

const DOCUMENT = "docs/documents.md";
const MAX_WORDS = 15;
const ids = new Set(REQUIREMENTS.map(({ id }) => id));
const sections = readText(DOCUMENT).split(/^## /m).slice(1);
const rows = sections.flatMap(rowsOf);

function rowsOf(section: string): readonly Row[] {
  return section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1)
    .map((line) => {
      const [, , sentence = "", id = "", proof = ""] = line.split("|").map((cell) => cell.trim());
      const files = [...proof.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = ""]) => file);
      return { sentence, id, proof, files };
    });
}

const sentencesOf = (found: readonly Row[]) => found.map(({ sentence }) => sentence);

test("docs/documents.md has one table for each of the five source documents", () => {
  expect(sections.map((section) => section.split("\n")[0])).toEqual([
    "Development-tool extension RFC",
    "Endpoint guide",
    "Endpoint requirements",
    "Server reference",
    "Protocol notes",
  ]);
  expect(sections.map((section) => rowsOf(section).length > 10)).not.toContain(false);
});

test("every sentence in docs/documents.md has at most 15 words and an existing requirement", () => {
  expect(
    sentencesOf(rows.filter(({ sentence }) => sentence.split(/\s+/).length > MAX_WORDS)),
  ).toEqual([]);
  expect(sentencesOf(rows.filter(({ id }) => !ids.has(id)))).toEqual([]);
});

test("every row of docs/documents.md has a test that cites its requirement, or is pending", () => {
  const unproven = rows.filter(({ id, proof, files }) => {
    if (proof === "`pending`") return false;
    const found = files.filter((file) => existsSync(path.join(root, file)));
    if (found.length === 0 || found.length < files.length) return true;
    return !found.some((file) => citedIn(readText(file)).includes(id));
  });

  expect(sentencesOf(unproven)).toEqual([]);
});

test("every pending row of docs/documents.md has a pending requirement", () => {
  const done = rows.filter(({ id, proof }) => proof === "`pending`" && !Object.hasOwn(PENDING, id));

  expect(sentencesOf(done), "replace `pending` by the test file of the requirement").toEqual([]);
});

test("every requirement of the five documents has a row in docs/documents.md", () => {
  const listed = new Set(rows.map(({ id }) => id));
  const missing = [...ids].filter((id) => /^(?:RFC|CLI|SRV)-/.test(id) && !listed.has(id));

  expect(missing).toEqual([]);
});

test("every route in docs/protocol.md has a document and existing requirements", () => {
  const [, section = ""] = readText("docs/protocol.md").split("\n## Routes\n");
  const routes = section
    .slice(0, section.indexOf("\n## "))
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| route"))
    .map((line) => line.split("|").map((cell) => cell.trim()));

  const faults = routes.filter(([, , , document = "", , cited = ""]) => {
    return document === "" || cited.split(", ").some((id) => !ids.has(id));
  });

  expect(routes.length).toBeGreaterThan(30);
  expect(faults).toEqual([]);
});
