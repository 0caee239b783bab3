// A local npm registry that serves the installed packages of this repository, so that tests can run
// `npm install` without a network. Optional packages for other platforms are missing, which npm accepts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

/** A registry that serves until disposed. */
export interface LocalRegistry extends AsyncDisposable {
  readonly url: string;
}

/** One installed version: its directory and its package.json. */
interface InstalledPackage {
  readonly directory: string;
  readonly manifest: { readonly name: string; readonly version: string };
}

/** Installed packages by name and version. */
type InstalledPackages = ReadonlyMap<string, ReadonlyMap<string, InstalledPackage>>;

/** Serves the packages of a pnpm store directory (`node_modules/.pnpm`) as npm packages. */
export async function openLocalRegistry(storeDirectory: string): Promise<LocalRegistry> {
  const installed = readInstalled(storeDirectory);
  const server = createServer((request, response) => {
    const wanted = decodeURIComponent(request.url ?? "/").slice(1);
    const [name = "", tarball] = wanted.split("/-/");
    const versions = installed.get(name);
    if (versions === undefined) return sendJson(response, 404, { error: `there is no ${name}` });
    if (tarball === undefined) return sendJson(response, 200, packumentOf(name, versions, url));
    const found = versions.get(tarball.replace(/\.tgz$/, ""));
    if (found === undefined) return sendJson(response, 404, { error: `there is no ${wanted}` });
    sendTarball(response, found.directory);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function readInstalled(storeDirectory: string): InstalledPackages {
  const installed = new Map<string, Map<string, InstalledPackage>>();
  for (const directory of installedDirectories(storeDirectory)) {
    const manifest = readManifest(directory);
    const versions = installed.get(manifest.name) ?? new Map<string, InstalledPackage>();
    installed.set(manifest.name, versions.set(manifest.version, { directory, manifest }));
  }
  return installed;
}

// Lists the directories of the installed packages. pnpm keeps each package in its own folder, next to links to
// its dependencies.
function installedDirectories(storeDirectory: string): string[] {
  return readdirSync(storeDirectory)
    .map((folder) => path.join(storeDirectory, folder, "node_modules"))
    .filter((folder) => existsSync(folder))
    .flatMap(directoriesIn)
    .flatMap((directory) =>
      path.basename(directory).startsWith("@") ? directoriesIn(directory) : [directory],
    )
    .filter((directory) => existsSync(path.join(directory, "package.json")));
}

function directoriesIn(parent: string): string[] {
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => path.join(parent, entry.name));
}

function readManifest(directory: string): InstalledPackage["manifest"] {
  return JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"));
}

function packumentOf(name: string, versions: ReadonlyMap<string, InstalledPackage>, url: string) {
  const manifests = [...versions].map(([version, { manifest }]) => [
    version,
    { ...manifest, dist: { tarball: `${url}/${name}/-/${version}.tgz` } },
  ]);
  return {
    name,
    "dist-tags": { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries(manifests),
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

// Sends a directory as a tarball. npm removes the first folder from the path of each entry, so the name of that
// folder does not matter.
function sendTarball(response: ServerResponse, directory: string): void {
  const tar = spawn(
    "tar",
    [
      "-czf",
      "-",
      // pnpm links files of the same content to one file, and npm ignores links in a tarball.
      ...(process.platform === "linux" ? ["--hard-dereference"] : []),
      "--exclude",
      "node_modules/.bin",
      "-C",
      path.dirname(directory),
      path.basename(directory),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  response.writeHead(200, { "content-type": "application/octet-stream" });
  tar.stdout.pipe(response);
  tar.on("error", (error) => response.destroy(error));
}
