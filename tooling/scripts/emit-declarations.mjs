// Emits declarations for ES modules, and copies them for CommonJS. The package.json in dist/cjs says
// "commonjs", so TypeScript reads the copies there as CommonJS. With --esm-only, nothing is copied.
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

execFileSync(
  "tsc",
  [
    "--noEmit",
    "false",
    "--emitDeclarationOnly",
    "--outDir",
    "dist/esm",
    "-p",
    "tsconfig.build.json",
  ],
  {
    stdio: "inherit",
    shell: process.platform === "win32",
  },
);
if (!process.argv.includes("--esm-only")) {
  cpSync("dist/esm", "dist/cjs", {
    recursive: true,
    filter: (source) => path.extname(source) === "" || /\.d\.ts(\.map)?$/.test(source),
  });
  writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');
}
