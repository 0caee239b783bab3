// Fills the code blocks of documents with code from files that the tests run.
import { readFileSync } from "node:fs";
import path from "node:path";

const SNIPPET = /<!-- snippet: (\S+?)(?:#(\S+))? -->\n```(\w+)\n([\s\S]*?)```/g;

/** Replaces the code of every marked block with the code of the file that its comment names. */
export function fillSnippets(root, markdown) {
  return markdown.replace(SNIPPET, (_, file, region, language) => {
    const mark = region === undefined ? file : `${file}#${region}`;
    const code = codeOf(readFileSync(path.join(root, file), "utf8"), region);
    return `<!-- snippet: ${mark} -->\n\`\`\`${language}\n${code}\n\`\`\``;
  });
}

/** Returns the code of a region, or the whole source if the region is missing, without common indentation. */
export function codeOf(source, region = "snippet") {
  const found = new RegExp(`// region: ${region}\\n([\\s\\S]*?)\\n\\s*// endregion`).exec(source);
  const lines = (found?.[1] ?? source.trimEnd()).split("\n");
  const indent = /^ */.exec(lines[0] ?? "")?.[0].length ?? 0;
  return lines.map((line) => line.slice(indent)).join("\n");
}
