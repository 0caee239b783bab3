// Writes the API reference of the packages to docs/api, as HTML. The output (7 MB) is not committed,
// because anybody can generate it from the code. tests/repository/public-surface.test.ts checks that every
// exported name has a doc comment.
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { entriesOf, LIBRARIES } from "../public-surface.mjs";
import { root } from "../write-document.mjs";

const folder = path.join(root, "tooling/api-docs");
const entries = LIBRARIES.flatMap((library) => entriesOf(root, library)).map(({ file }) =>
  path.join(root, file),
);

// `--check` has nothing to compare, because no output is committed.
if (!process.argv.includes("--check")) {
  const typedoc = path.join(folder, "node_modules/typedoc/bin/typedoc");
  const options = [
    ...["--tsconfig", path.join(folder, "tsconfig.json"), "--out", path.join(root, "docs/api")],
    ...["--plugin", path.join(folder, "module-names.mjs")],
    ...["--name", "dt", "--readme", "none", "--logLevel", "Warn"],
    ...["--excludeInternal", "--excludePrivate", "--disableGit"],
    ...["--sourceLinkTemplate", "{path}", "--displayBasePath", root],
  ];
  const { status } = spawnSync(process.execPath, [typedoc, ...options, ...entries], {
    cwd: folder,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
