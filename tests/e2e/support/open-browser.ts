import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

/** A browser with an empty profile that can reach only this machine. */
export interface TestBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--no-default-browser-check",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

/**
 * Starts Chromium. On Linux with x64 it is the build of @sparticuz/chromium, which brings the libraries that
 * a bare system lacks. On other systems it is the installed Chrome.
 */
export async function openBrowser(): Promise<TestBrowser> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    const browser = await chromium.launch({ channel: "chrome", args: ARGS });
    return { browser, [Symbol.asyncDispose]: () => browser.close() };
  }
  const directory = mkdtempSync(path.join(tmpdir(), "dt-chromium-"));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const executablePath = await unpackChromium(directory);
    const browser = await chromium.launch({
      executablePath,
      args: ARGS,
      env: {
        HOME: directory,
        PATH: process.env.PATH ?? "",
        LD_LIBRARY_PATH: path.join(directory, "al2023", "lib"),
        FONTCONFIG_FILE: writeFontConfig(directory),
      },
    });
    return {
      browser,
      async [Symbol.asyncDispose]() {
        await browser.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Unpacks the browser and its libraries into a directory. The package unpacks into the temporary directory of
 * its process, and it unpacks the libraries only on AWS Lambda. It therefore runs in a child process whose
 * variables name this directory and imitate AWS Lambda.
 */
async function unpackChromium(directory: string): Promise<string> {
  const program =
    'import chromium from "@sparticuz/chromium"; console.log(await chromium.executablePath());';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", program],
    {
      cwd: import.meta.dirname,
      env: { TMPDIR: directory, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" },
    },
  );
  return stdout.trim();
}

/** Writes a font configuration for the unpacked fonts. The bundled configuration has other paths. */
function writeFontConfig(directory: string): string {
  const file = path.join(directory, "fonts.conf");
  const fonts = `<dir>${directory}/fonts</dir><cachedir>${directory}/fonts-cache</cachedir>`;
  writeFileSync(file, `<?xml version="1.0"?>\n<fontconfig>${fonts}</fontconfig>\n`);
  return file;
}
