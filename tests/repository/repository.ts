import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The root directory of the repository. */
export const root = path.resolve(import.meta.dirname, "../..");

/** The published libraries. */
export const LIBRARIES = ["schema", "agent-core", "server", "client", "acp"] as const;

/** The fields of a package.json that these tests read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** One package of the workspace: its folder, relative to the root, and its manifest. */
export interface WorkspacePackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Lists the packages directly under `packages`, `apps` or `examples`. */
export function packagesUnder(parent: string): WorkspacePackage[] {
  return foldersIn(parent)
    .map((name) => `${parent}/${name}`)
    .filter((folder) => existsSync(path.join(root, folder, "package.json")))
    .map((folder) => ({ folder, manifest: readManifest(folder) }));
}

/** Reads the package.json of a folder, relative to the root. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readText(path.join(folder, "package.json"))) as Manifest;
}

/** Reads the address of the repository from the root package.json. */
export function readRepositoryAddress(): string {
  const { repository } = JSON.parse(readText("package.json"));
  return repository.url.replace(/^git\+|\.git$/g, "");
}

/** Lists the public import specifiers of a package: `@dt/schema`, `@dt/schema/wire`. */
export function entriesOf(manifest: Manifest): string[] {
  return Object.keys(manifest.exports ?? {})
    .filter((subpath) => !subpath.endsWith(".json"))
    .map((subpath) => manifest.name + subpath.slice(1));
}

/** Reads a file by its path from the root. */
export function readText(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

/** Lists files below a folder as paths from the root, without built or installed files. */
export function filesUnder(folder: string, pattern: RegExp): string[] {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const file = folder === "." ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return isOurs(entry.name) ? filesUnder(file, pattern) : [];
      return pattern.test(entry.name) ? [file] : [];
    })
    .sort();
}

/** Lists the hand-written and generated TypeScript files of a package, without tests. */
export function sourcesOf({ folder }: WorkspacePackage): string[] {
  return filesUnder(`${folder}/src`, /\.tsx?$/).filter((file) => !isTest(file));
}

/** Returns true if a file is a test, a type test, a proof or test support. */
export function isTest(file: string): boolean {
  return /\.(test|test-d|test-support|prove)\.tsx?$/.test(file);
}

function foldersIn(parent: string): string[] {
  if (!existsSync(path.join(root, parent))) return [];
  return readdirSync(path.join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function isOurs(folderName: string): boolean {
  return !folderName.startsWith(".") && !["node_modules", "dist", "coverage"].includes(folderName);
}

/** The documents in the root and in `docs`, and the READMEs of packages. */
export const documents: readonly string[] = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "proto/README.md", "deploy/README.md"],
  ...["packages", "apps", "examples"]
    .flatMap(packagesUnder)
    .map(({ folder }) => `${folder}/README.md`),
  ...filesUnder("docs", /\.md$/),
].filter((file) => existsSync(path.join(root, file)));
