import path from "node:path";

/** Lists the targets of the links and images in a document. Code is left out. */
export function linksIn(markdown) {
  const link = /\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm;
  const prose = withoutFences(markdown).replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(link)].map(([, inline, reference]) => inline ?? reference ?? "");
}

/** Lists the anchors of a document's headings. */
export function anchorsIn(markdown) {
  return [...withoutFences(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

/** Resolves a link of a document to a path from the repository's root. */
export function resolveLink(document, target) {
  const [relative = "", anchor] = decodeURI(target).split("#");
  const file = relative === "" ? document : path.posix.join(path.dirname(document), relative);
  return anchor === undefined ? { file } : { file, anchor };
}

/** Removes the fenced code of a document and keeps its line numbers. */
export function withoutFences(markdown) {
  return markdown.replace(/^ *```[^\n]*\n[\s\S]*?^ *```/gm, (code) => code.replace(/[^\n]/g, ""));
}
