import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const SCRATCH = path.resolve(import.meta.dirname, "../../node_modules/.cache");

/**
 * Installs packages from npm into a folder of their own, unless they are installed already; returns the folder. They
 * are no dependencies of the repository, because only one proof needs them.
 */
export function installPackages(
  folder: string,
  packages: Readonly<Record<string, string>>,
): string {
  const directory = path.join(SCRATCH, folder);
  const stamp = path.join(directory, "complete.json");
  const wanted = JSON.stringify(packages);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return directory;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const manifest = { private: true, dependencies: packages };
  writeFileSync(path.join(directory, "package.json"), JSON.stringify(manifest));
  // A package may need a newer Node than this one, which the proof then installs too.
  const args = ["install", "--force", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { status, stderr } = spawnSync("npm", [...args, "--loglevel=error"], {
    cwd: directory,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm cannot install ${Object.keys(packages)}: ${stderr}`);
  writeFileSync(stamp, wanted);
  return directory;
}
