import { anchorsIn, linksIn, resolveLink, withoutFences } from "./markdown.mjs";

/** Matches names of documents that are not in the repository. */
const OUTSIDE_DOCUMENT =
  /\b(?:DESIGN|GUIDE|STYLE|REQUIREMENTS|TOOLCHAIN|PEERS|REF|SPEC|NOTES)\b(?!-)(?:\.md\b)?/g;

const FILE_PATH =
  /(?<![\w/.@:~*<-])(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.(?:tsx?|mts|[cm]?js|md|json|proto|ya?ml|svg)\b(?![\w(/*])/g;

/** Names that texts may mention although the repository has no such file. */
const FOREIGN_FILES = new Set([
  "AGENTS.md",
  "GEMINI.md",
  "agent-card.json",
  "commit.md",
  "config.yaml",
  "dt-extension.json",
  "file.js",
  "gemini-extension.json",
  "highlight.js",
  "ipaddr.js",
]);

/**
 * Matches a file name without a folder. Such names are allowed, because a document may ask its reader to
 * create the file.
 */
const BARE_FILE_NAME = /^[\w.-]+\.(?:[cm]?js|json|ya?ml)$/;

const DECISION_RECORD = /\bdecision(?: record)? (\d{1,4})\b/gi;

/**
 * A reference to something that is not in the repository.
 *
 * @typedef {object} DanglingReference
 * @property {string} file
 * @property {number} line
 * @property {string} reference
 */

/**
 * Finds references to documents, files, requirement ids, decision records and anchors that do not exist.
 *
 * @param {{
 *   comments: readonly import("./comments.mjs").Comment[],
 *   documents: ReadonlyMap<string, string>,
 *   files: readonly string[],
 *   requirements: ReadonlySet<string>,
 * }} repository `documents`: path → Markdown; `files`: every file of the repository
 * @returns {DanglingReference[]}
 */
export function findDangling({ comments, documents, files, requirements }) {
  const known = createKnown(files, requirements);
  const lines = [...documents].flatMap(([file, markdown]) =>
    withoutFences(markdown)
      .split("\n")
      .map((text, index) => ({ file, line: index + 1, text })),
  );
  const named = [
    ...comments.flatMap((comment) => danglingIn(comment, known)),
    ...lines
      .flatMap((line) => danglingIn(line, known))
      .filter(({ reference }) => !BARE_FILE_NAME.test(reference)),
  ];
  return [...named, ...brokenLinks(documents, known)];
}

function createKnown(files, requirements) {
  const names = new Set(files.flatMap((file) => suffixesOf(file)));
  const prefixes = [...new Set([...requirements].map((id) => id.split("-")[0]))];
  return {
    requirements,
    id: new RegExp(`\\b(?:${prefixes.join("|")})-\\d{2}\\b`, "g"),
    hasFile: (name) => names.has(name) || names.has(name.replace(/\.js$/, ".ts")),
    hasDecision: (number) =>
      files.some((file) => file.startsWith(`docs/decisions/${number.padStart(4, "0")}-`)),
    hasPath: (name) =>
      files.some((file) => file === name || file.startsWith(`${name.replace(/\/$/, "")}/`)),
  };
}

function danglingIn({ file, line, text }, known) {
  const found = [
    ...[...text.matchAll(OUTSIDE_DOCUMENT)].map(([name]) => name),
    ...[...text.matchAll(known.id)].map(([id]) => id).filter((id) => !known.requirements.has(id)),
    ...[...text.matchAll(DECISION_RECORD)]
      .filter(([, number]) => !known.hasDecision(number))
      .map(([reference]) => reference),
    ...[...text.matchAll(FILE_PATH)]
      .map(([name]) => name.replace(/^(?:(?:\.{1,2}\/)+|@dt\/[\w-]+\/)/, ""))
      .filter((name) => !FOREIGN_FILES.has(name.split("/").at(-1)) && !known.hasFile(name)),
  ];
  return [...new Set(found)].map((reference) => ({ file, line, reference }));
}

function brokenLinks(documents, known) {
  return [...documents].flatMap(([file, markdown]) =>
    linksIn(markdown)
      .filter((target) => !/^[a-z]+:/i.test(target))
      .filter((target) => {
        const { file: linked, anchor } = resolveLink(file, target);
        if (!known.hasPath(linked) && !documents.has(linked)) return true;
        const text = documents.get(linked);
        return anchor !== undefined && text !== undefined && !anchorsIn(text).includes(anchor);
      })
      .map((reference) => ({ file, line: lineOf(markdown, reference), reference })),
  );
}

/** Lists all ends of a path, because a comment may leave out the first folders. */
function suffixesOf(file) {
  const parts = file.split("/");
  return parts.map((_, index) => parts.slice(index).join("/"));
}

function lineOf(text, part) {
  return text.slice(0, text.indexOf(part)).split("\n").length;
}
