import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { API } from "typescript/unstable/sync";

/**
 * One source file of a package or an app, with its syntax tree.
 *
 * @typedef {object} Source
 * @property {string} file Path from the repository's root.
 * @property {string} text
 * @property {import("typescript/unstable/ast").SourceFile} tree
 */

/** Reads every shipped source, without tests, test support and generated code. */
export function readSources(root) {
  const projects = ["packages", "apps"].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(root, folder, name)),
  );
  const api = new API({ cwd: root });
  try {
    const configs = projects.map((project) => path.join(project, "tsconfig.json"));
    const snapshot = api.updateSnapshot({ openProjects: configs });
    return projects.flatMap((project, index) => {
      const { program } = snapshot.getProject(configs[index]);
      return listShipped(path.join(project, "src")).map((file) => ({
        file: path.relative(root, file),
        text: readFileSync(file, "utf8"),
        tree: program.getSourceFile(file),
      }));
    });
  } finally {
    api.close();
  }
}

function listShipped(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => /\.tsx?$/.test(file) && isShipped(file))
    .map((file) => path.join(folder, file))
    .sort();
}

function isShipped(file) {
  const parts = file.split(path.sep);
  if (parts.includes("testing") || parts.includes("gen") || parts.includes("attacks")) return false;
  return !/\.(test|test-support|test-d|prove)\.tsx?$/.test(file);
}
