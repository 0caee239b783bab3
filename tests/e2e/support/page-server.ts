import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

/** The server that `npm start` runs in examples/browser-page. */
export interface PageServer extends AsyncDisposable {
  /** The origin of the page, without a trailing slash. */
  readonly origin: string;
}

/** Bundles and serves the page in a child process. */
export async function openPageServer(): Promise<PageServer> {
  const directory = path.resolve(import.meta.dirname, "../../../examples/browser-page");
  const child = spawn(process.execPath, ["serve.mjs", "0"], {
    cwd: directory,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  for await (const line of createInterface(child.stdout)) {
    const origin = /^the page is at (\S+)\/$/.exec(line)?.[1];
    if (origin === undefined) continue;
    return {
      origin,
      async [Symbol.asyncDispose]() {
        child.kill();
        await closed;
      },
    };
  }
  throw new Error("the page server ended before it printed its address");
}
