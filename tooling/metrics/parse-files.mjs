import { readFileSync } from "node:fs";
import path from "node:path";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API } from "typescript/unstable/sync";

/**
 * One parsed file.
 *
 * @typedef {object} ParsedFile
 * @property {string} file Path from the repository's root.
 * @property {string} text
 * @property {import("typescript/unstable/ast").SourceFile} tree
 */

/**
 * Parses TypeScript and JavaScript files without resolving their imports, so that files of any package can be
 * read together.
 *
 * @param {ReadonlyMap<string, string>} texts path → text
 * @returns {ParsedFile[]}
 */
export function parseTexts(texts) {
  const config = {
    compilerOptions: {
      allowJs: true,
      checkJs: false,
      jsx: "preserve",
      noLib: true,
      noResolve: true,
      types: [],
    },
    files: [...texts.keys()],
  };
  const virtual = Object.fromEntries([...texts].map(([file, text]) => [`/words/${file}`, text]));
  const files = { ...virtual, "/words/tsconfig.json": JSON.stringify(config) };
  const api = new API({ cwd: "/words", fs: createVirtualFileSystem(files) });
  try {
    const [project] = api.updateSnapshot({ openProjects: ["/words/tsconfig.json"] }).getProjects();
    return [...texts].map(([file, text]) => ({
      file,
      text,
      tree: project.program.getSourceFile(`/words/${file}`),
    }));
  } finally {
    api.close();
  }
}

/** Parses files of the repository. Their paths start at its root. */
export function parseFiles(root, files) {
  return parseTexts(
    new Map(files.map((file) => [file, readFileSync(path.join(root, file), "utf8")])),
  );
}
