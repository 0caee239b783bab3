import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

/** The page of examples/browser-page, as its `npm start` serves it. */
export interface PageServer extends AsyncDisposable {
  /** The address of the page, without a slash at its end: also its origin. */
  readonly origin: string;
}

/** Bundles and serves the page in a process of its own. */
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
  throw new Error("the page was not served");
}
