import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { decodeRecording } from "@dt/schema/wire";
import { spawn as spawnTerminal } from "@lydell/node-pty";
import { expect, test } from "vitest";

const main = path.resolve(import.meta.dirname, "../../apps/cli/dist/main.js");

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// Returns an environment without API keys and with another home, so the user's settings do not apply.
function environmentOf(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TERM: "xterm-256color",
    DT_MODEL: "offline",
  };
}

/** Runs dt without a terminal. */
async function runDt(
  cwd: string,
  args: readonly string[],
  input = "",
  variables: Record<string, string> = {},
): Promise<Ended> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { cwd, env: { ...environmentOf(cwd), ...variables } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
    // dt may exit before it has read all of its input.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** Runs dt in a real terminal, and types each line when the text in its `when` has appeared. */
async function typeInto(
  cwd: string,
  args: readonly string[],
  lines: readonly { readonly when: string; readonly type: string }[],
): Promise<{ readonly code: number; readonly screen: string }> {
  const terminal = spawnTerminal(process.execPath, [main, ...args], {
    cwd,
    cols: 100,
    rows: 30,
    env: environmentOf(cwd),
  });
  let screen = "";
  let next = 0;
  return await new Promise((resolve) => {
    terminal.onData((data) => {
      screen += data;
      const line = lines[next];
      if (line !== undefined && screen.includes(line.when)) {
        next += 1;
        terminal.write(line.type);
      }
    });
    terminal.onExit(({ exitCode }) => resolve({ code: exitCode, screen }));
  });
}

test("dt -p writes the reply to stdout and exits with 0", async () => {
  await using workspace = await openTempWorkspace();

  expect(await runDt(workspace.root, ["-p", "say hello"])).toEqual({
    code: 0,
    stdout: "hello\n",
    stderr: "",
  });
});

test.each([
  ["dt -p", ["-p", "say hello"], ""],
  ["dt with piped input", [], "say hello"],
])("%s without a model exits with 2 and names the API key variables", async (_, args, input) => {
  await using workspace = await openTempWorkspace();

  const { code, stdout, stderr } = await runDt(workspace.root, args, input, { DT_MODEL: "" });

  expect([code, stdout]).toEqual([2, ""]);
  for (const name of ["GEMINI_API_KEY", "OPENAI_API_KEY"]) {
    expect(stderr).toMatch(new RegExp(`^[^\\n]*${name} or ${name}_FILE[^\\n]*\\n$`));
  }
});

test("a flag, a variable, the settings or the session can select the offline model for dt -p", async () => {
  await using workspace = await openTempWorkspace();
  const none = { DT_MODEL: "" };
  const prompt = ["-p", "say hello"];

  const byFlag = await runDt(workspace.root, ["--model", "offline", ...prompt], "", none);
  const byVariable = await runDt(workspace.root, prompt, "", { DT_MODEL: "offline" });
  await runDt(workspace.root, ["-p", "/model offline"], "", none);
  const bySession = await runDt(workspace.root, ["--resume", ...prompt], "", none);
  const settings = path.join(workspace.root, ".config", "dt");
  await mkdir(settings, { recursive: true });
  await writeFile(path.join(settings, "config.yaml"), "model: offline\n");
  const bySettings = await runDt(workspace.root, prompt, "", none);

  for (const ended of [byFlag, byVariable, bySession, bySettings]) {
    expect(ended).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
  }
});

test("piped input is appended to the prompt of dt -p, and @mentions in the input are not read", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "secret.txt"), "not for the model");

  const { code, stdout } = await runDt(
    workspace.root,
    ["--output", "json", "-p", "say hello"],
    "say @secret.txt",
  );

  const [prompt] = stdout.split("\n").map((line) => JSON.parse(line || "null"));
  expect(code).toBe(0);
  expect(prompt).toMatchObject({ kind: "USER_PROMPT" });
  expect(prompt.parts).toEqual([
    { type: "text", text: "say hello" },
    { type: "text", text: "say @secret.txt" },
  ]);
});

test("dt -p appends a file on stdin to its prompt and ignores /dev/null", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "more.txt"), "say two");
  const run = (from: string) =>
    new Promise<string>((resolve) => {
      const script = `"$0" "$1" -p "say one" < ${from}`;
      const options = { cwd: workspace.root, env: environmentOf(workspace.root) };
      execFile("/bin/sh", ["-c", script, process.execPath, main], options, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });

  expect([await run("more.txt"), await run("/dev/null")]).toEqual(["onetwo\n", "one\n"]);
});

test("dt -p runs its prompt although stdin is a pipe that stays open without data", async () => {
  await using workspace = await openTempWorkspace();
  const child = spawn(process.execPath, [main, "-p", "say hello"], {
    cwd: workspace.root,
    env: environmentOf(workspace.root),
    stdio: "pipe",
  });

  const [output, exited] = await Promise.all([text(child.stdout), once(child, "exit")]);

  expect([output, exited]).toEqual(["hello\n", [0, null]]);
});

test.each([[["-p", "say hello"]], [[]]])(
  "dt with the arguments %j refuses piped input of more than 1 MiB with exit code 2",
  async (args) => {
    await using workspace = await openTempWorkspace();

    const ended = await runDt(workspace.root, args, `say ${"x".repeat(1024 * 1024)}`);

    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^the piped input is larger than 1048576 bytes; [^\n]*\n$/);
  },
);

test("dt asks on the terminal, shows the change, and writes it after approval", async () => {
  await using workspace = await openTempWorkspace();

  const { code, screen } = await typeInto(
    workspace.root,
    ["-p", "write a.txt: hi then say done"],
    [{ when: "Reject) ", type: "1\r" }],
  );

  expect(screen).toContain("+hi");
  expect(screen).toContain("2 Always allow — edits inside the workspace");
  expect(screen).toContain("done");
  expect(code).toBe(0);
  expect(await workspace.read("a.txt")).toBe("hi");
});

test("dt does not write a change that was rejected on the terminal", async () => {
  await using workspace = await openTempWorkspace();

  const { code, screen } = await typeInto(
    workspace.root,
    ["-p", "write a.txt: hi then say done"],
    [
      { when: "Reject) ", type: "maybe\r" },
      { when: "maybe", type: "3\r" },
    ],
  );

  expect(screen).toContain("CANCELLED");
  expect(code).toBe(0);
  await expect(workspace.read("a.txt")).rejects.toThrow("ENOENT");
});

test("Ctrl-D at a question refuses the tool call and reports it as unanswered", async () => {
  await using workspace = await openTempWorkspace();

  const { code, screen } = await typeInto(
    workspace.root,
    ["-p", "write a.txt: hi"],
    [{ when: "Reject) ", type: "\u0004" }],
  );

  expect(screen).toContain("left unanswered");
  expect(screen).not.toContain("AbortError");
  expect(code).toBe(1);
  await expect(workspace.read("a.txt")).rejects.toThrow("ENOENT");
});

test("dt -p reports a failed shell command with its exit code", async () => {
  await using workspace = await openTempWorkspace();

  const { stderr } = await runDt(workspace.root, ["--yolo", "-p", "run exit 3"]);

  expect(stderr.trimEnd().split("\n").at(-1)).toBe("[Run: exit 3] exit code 3");
});

test("dt without a terminal refuses a call that needs approval and mentions --yolo", async () => {
  await using workspace = await openTempWorkspace();

  const refused = await runDt(workspace.root, ["-p", "write a.txt: hi"]);
  const allowed = await runDt(workspace.root, ["--yolo", "-p", "write a.txt: hi"]);

  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("--yolo would allow it"),
  });
  expect(allowed.code).toBe(0);
  expect(await workspace.read("a.txt")).toBe("hi");
});

test("dt without -p runs several lines of piped input as one prompt", async () => {
  await using workspace = await openTempWorkspace();

  expect(await runDt(workspace.root, [], "say one\nsay two\n")).toMatchObject({
    code: 0,
    stdout: "onetwo\n",
  });
});

test("an unknown flag causes one error line and exit code 2", async () => {
  await using workspace = await openTempWorkspace();

  const { code, stderr } = await runDt(workspace.root, ["--loud"]);

  expect(code).toBe(2);
  expect(stderr).toMatch(/^Unknown option '--loud'[^\n]*\n$/);
});

test("a slash command runs without a model, and an unknown one causes one error line and exit code 1", async () => {
  await using workspace = await openTempWorkspace();

  const known = await runDt(workspace.root, ["-p", "/mode"], "", { DT_MODEL: "" });
  const unknown = await runDt(workspace.root, ["-p", "/nope"]);

  expect(known).toMatchObject({ code: 0, stdout: expect.stringContaining("the mode is default") });
  expect(unknown).toMatchObject({
    code: 1,
    stderr: "there is no command /nope; /help lists the commands\n",
  });
});

test("--output json writes every event of the turn, one per line", async () => {
  await using workspace = await openTempWorkspace();

  const { code, stdout, stderr } = await runDt(workspace.root, [
    "--output",
    "json",
    "-p",
    "say hello",
  ]);

  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([code, stderr]).toEqual([0, ""]);
  expect(events.map(({ kind }) => kind)).toEqual([
    "USER_PROMPT",
    "STATE_CHANGE",
    "TITLE",
    "TEXT_CONTENT",
    "STATE_CHANGE",
  ]);
  expect(events[3]).toMatchObject({ kind: "TEXT_CONTENT", text: "hello" });
});

test("a failed turn is reported on stderr with exit code 1", async () => {
  await using workspace = await openTempWorkspace();

  expect(await runDt(workspace.root, ["-p", "say a then fail on purpose"])).toEqual({
    code: 1,
    stdout: "a\n",
    stderr: "error: on purpose\n",
  });
});

test("a session of dt -p is listed, and resuming the session adds no entry", async () => {
  await using workspace = await openTempWorkspace();
  const none = await runDt(workspace.root, ["--list-sessions"]);
  await runDt(workspace.root, ["-p", "say first"]);

  const listed = await runDt(workspace.root, ["--list-sessions"]);
  const id = listed.stdout.slice(0, 8);
  const resumed = await runDt(workspace.root, ["--resume", id, "-p", "/stats"]);
  const again = await runDt(workspace.root, ["--list-sessions"]);

  expect(none.stdout).toBe("no sessions yet\n");
  expect(listed.stdout).toContain("say first");
  expect(resumed.code).toBe(0);
  expect(again.stdout.trimEnd().split("\n")).toHaveLength(1);
});

test("dt --record writes a recording, and dt --debug prints the path of the log file", async () => {
  await using workspace = await openTempWorkspace();

  const { code, stderr } = await runDt(workspace.root, [
    "--debug",
    "--record",
    "session.jsonl",
    "-p",
    "say recorded",
  ]);

  const { events, agent } = decodeRecording(await workspace.read("session.jsonl"));
  expect(code).toBe(0);
  expect(agent).toMatch(/^dt \d/);
  expect(events.map(({ kind }) => kind)).toContain("TEXT_CONTENT");
  expect(stderr).toMatch(/^log: \S+\.log\n$/);
});

test("a deleted working directory causes one error line and exit code 2", async () => {
  await using workspace = await openTempWorkspace();
  const script = `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" -p "say hi"`;
  const ended = await new Promise<Ended>((resolve) => {
    execFile(
      "/bin/sh",
      ["-c", script, process.execPath, main],
      { cwd: workspace.root, env: environmentOf(workspace.root) },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });

  expect(ended).toEqual({
    code: 2,
    stdout: "",
    stderr: "the current directory no longer exists; change to another one\n",
  });
});

test("dt -p exits with 130 on SIGINT during a turn", async () => {
  await using workspace = await openTempWorkspace();
  const child = spawn(process.execPath, [main, "-p", "say waiting then wait 3600000"], {
    cwd: workspace.root,
    env: environmentOf(workspace.root),
    stdio: ["ignore", "pipe", "pipe"],
  });
  await once(child.stdout, "data");

  child.kill("SIGINT");

  expect(await once(child, "exit")).toEqual([130, null]);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "dt exits with 130 on %s while it waits for piped input",
  async (signal) => {
    await using workspace = await openTempWorkspace();
    const child = spawn(process.execPath, [main, "--a2a-port", "0"], {
      cwd: workspace.root,
      env: environmentOf(workspace.root),
      stdio: ["pipe", "pipe", "pipe"],
    });
    await once(child.stderr, "data");

    child.kill(signal);

    expect(await once(child, "exit")).toEqual([130, null]);
  },
);

test("on a dumb terminal dt reads line by line until the input ends", async () => {
  await using workspace = await openTempWorkspace();
  const terminal = spawnTerminal(process.execPath, [main], {
    cwd: workspace.root,
    cols: 100,
    rows: 30,
    env: { ...environmentOf(workspace.root), TERM: "dumb" },
  });
  let screen = "";
  const exited = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode }) => resolve(exitCode));
  });
  terminal.onData((data) => {
    const before = screen;
    screen += data;
    const shows = (text: string) => screen.includes(text) && !before.includes(text);
    if (shows("> ")) terminal.write("say plainly\r");
    if (shows("\nplainly")) terminal.write("\u0004");
  });

  expect(await exited).toBe(0);
  expect(screen).not.toContain("\u001b[?2026h");
});

test.each([
  [["--a2a-port", "x", "-p", "say hi"], "--a2a-port must be a number"],
  [["--model", "nope:x", "-p", "say hi"], "nope"],
  [["--model", "gpt-5", "-p", "say hi"], "write openai:gpt-5"],
  [["--resume", "nothing", "-p", "say hi"], "there is no session nothing"],
  [["--record", "no/such/dir.jsonl", "-p", "say hi"], "--record: no/such/dir.jsonl"],
])("the arguments %j cause one error line and exit code 2 [CLI-01]", async (args, message) => {
  await using workspace = await openTempWorkspace();

  const { code, stdout, stderr } = await runDt(workspace.root, args);

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/^[^\n]*\n$/);
});

test("dt -p with --a2a-port serves the agent card during its turn [CLI-02]", async () => {
  await using workspace = await openTempWorkspace();
  const child = spawn(process.execPath, [main, "--a2a-port", "0", "-p", "wait 3600000"], {
    cwd: workspace.root,
    env: environmentOf(workspace.root),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output] = await once(child.stderr, "data");
  const url = /A2A (\S+)/.exec(String(output))?.[1] ?? "";

  const card = await fetch(`${url}.well-known/agent-card.json`);

  expect(card.status).toBe(200);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([130, null]);
});
