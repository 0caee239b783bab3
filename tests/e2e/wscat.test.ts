import { createRequire } from "node:module";
import path from "node:path";
import { spawn } from "@lydell/node-pty";
import { expect, test } from "vitest";
import { openLiveStage } from "./support/open-live-stage.js";

const wscat = path.join(
  path.dirname(createRequire(import.meta.url).resolve("wscat/package.json")),
  "bin",
  "wscat",
);

/** `wscat -c URL` in a terminal of its own, as the guide shows it. */
function openWscat(url: string) {
  const child = spawn(process.execPath, [wscat, "--no-color", "-c", url], {
    name: "xterm",
    // Wide enough that nothing it shows is wrapped.
    cols: 8_000,
    rows: 40,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
  });
  let screen = "";
  const waiting = new Set<() => void>();
  child.onData((text) => {
    screen += text;
    for (const look of [...waiting]) look();
  });
  const exited = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      resolve(exitCode);
      for (const look of [...waiting]) look();
    });
  });

  /** The frames that it has shown, each on a line of its own. */
  const frames = () =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's own.
    [...screen.matchAll(/< (\{.*?\})(?:\u001b|\r|\n)/g)].map(([, json = ""]) => JSON.parse(json));

  return {
    frames,
    exited,
    type: (line: string) => child.write(`${line}\r`),
    ctrlC: () => child.write("\u0003"),
    async until<TFound>(find: () => TFound | undefined): Promise<TFound> {
      return await new Promise((resolve, reject) => {
        const look = () => {
          const found = find();
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        exited.then((code) => reject(new Error(`wscat ended with ${code}: ${screen}`)));
        look();
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

test("wscat -c ws://localhost:PORT/ws works by hand, as the guide shows [CLI-05, CLI-08, CLI-19]", async () => {
  await using stage = await openLiveStage();
  const { taskId } = stage.live;
  using hand = openWscat(`ws://localhost:${stage.server.port}/ws`);
  await hand.shows("Connected (press CTRL+C to quit)");

  hand.type(
    '{"jsonrpc": "2.0", "method": "message/stream", "params": {"message": {"content": {"text": "say I will list the files for you. then run echo hello"}}}}',
  );
  const asked = await hand.frame((frame) => frame.status === "PENDING");
  hand.type(
    `{"jsonrpc":"2.0","method":"message/stream","params":{"message":{"content":{"data":{"kind":"TOOL_CALL_CONFIRMATION","tool_call_id":"${asked.tool_call_id}","selected_option_id":"proceed_once"}}}}}`,
  );
  await hand.frame((frame) => frame.status === "SUCCEEDED");
  await stage.type("say typed in the terminal");
  await hand.frame((frame) => frame.content?.text === "typed in the terminal");
  hand.type("hello?");
  const told = await hand.frame((frame) => frame.error !== undefined);
  hand.ctrlC();
  await hand.exited;

  const frames = hand.frames();
  expect(frames).toContainEqual({
    kind: "TEXT_CONTENT",
    content: { text: "I will list the files for you." },
    taskId,
  });
  expect(frames.filter(({ tool_call_id }) => tool_call_id).map(({ status }) => status)).toEqual(
    expect.arrayContaining(["PENDING", "EXECUTING", "SUCCEEDED"]),
  );
  expect(asked.confirmation_request.details.execute_details.command).toBe("echo hello");
  expect(told).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32700 } });
  expect(stage.faults).toEqual([]);
});
