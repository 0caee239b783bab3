import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { importFrom } from "./import-from.mjs";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const SERVE = path.join(ROOT, "examples/browser-page/serve.mjs");

/** Serves the page of the example on this machine. */
export async function servePage() {
  const child = spawn(process.execPath, [SERVE, "0"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /the page is at (http:\S+?)\/?$/.exec(line);
    if (found === null) continue;
    child.stdout.resume();
    return { origin: found[1], close: () => child.kill() };
  }
  throw new Error("the page is not served");
}

/** Opens Chromium with `openBrowser` of the tests. That module is TypeScript, so esbuild compiles it first. */
export async function openChromium() {
  const esbuild = await importFrom("examples/browser-page", "esbuild");
  const folder = path.join(ROOT, "tests/node_modules/.cache/dt-show");
  mkdirSync(folder, { recursive: true });
  const outfile = path.join(folder, "open-browser.mjs");
  await esbuild.build({
    entryPoints: [path.join(ROOT, "tests/e2e/support/open-browser.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
  });
  const { openBrowser } = await import(pathToFileURL(outfile).href);
  return await openBrowser();
}
