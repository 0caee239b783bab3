import { createRequire } from "node:module";
import path from "node:path";
import { spawn } from "@lydell/node-pty";

const wscat = path.join(
  path.dirname(createRequire(import.meta.url).resolve("wscat/package.json")),
  "bin",
  "wscat",
);

/** Runs `wscat -c URL` in a pseudo-terminal, as the endpoint guide shows it. */
export function openWscat(url: string) {
  const child = spawn(process.execPath, [wscat, "--no-color", "-c", url], {
    name: "xterm",
    // The terminal is so wide that it wraps no line.
    cols: 8_000,
    rows: 40,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
  });
  let screen = "";
  const waiting = new Set<() => void>();
  child.onData((text) => {
    screen += text;
    for (const check of [...waiting]) check();
  });
  const exited = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      resolve(exitCode);
      for (const check of [...waiting]) check();
    });
  });

  /** Parses the frames that wscat has printed, one per line. */
  const frames = () =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the terminal's output contains escape characters
    [...screen.matchAll(/< (\{.*?\})(?:\u001b|\r|\n)/g)].map(([, json = ""]) => JSON.parse(json));

  return {
    frames,
    exited,
    type: (line: string) => child.write(`${line}\r`),
    ctrlC: () => child.write("\u0003"),
    async until<TFound>(find: () => TFound | undefined): Promise<TFound> {
      return await new Promise((resolve, reject) => {
        const check = () => {
          const found = find();
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        exited.then((code) => reject(new Error(`wscat ended with ${code}: ${screen}`)));
        check();
      });
    },
    async shows(text: string): Promise<void> {
      await this.until(() => (screen.includes(text) ? true : undefined));
    },
    // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
    async frame(fits: (frame: any) => boolean): Promise<any> {
      return await this.until(() => frames().find(fits));
    },
    [Symbol.dispose]: () => child.kill("SIGKILL"),
  };
}
