import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { openStage } from "../e2e/support/open-stage.js";
import { main, openScreen, type Screen } from "./support/open-screen.js";

const ENTER = "\r";
const CTRL_D = "\x04";
const PROMPTED = "Ask anything";
const untilIdle = (screen: Screen) =>
  screen.until((text) => text.includes(PROMPTED) && !/working|Allow/.test(text));

test("dt --resume shows the history and the open question of the last or given session", async () => {
  await using workspace = await openTempWorkspace();
  let id = "";
  {
    await using first = openScreen({ cwd: workspace.root });
    await untilIdle(first);
    first.type(`say remember me${ENTER}`);
    await first.until("● remember me");
    await untilIdle(first);
    first.type(`write later.txt: 1 then say done${ENTER}`);
    await first.until(/Allow write_file\?[\s\S]*› 1 Allow once/);

    await using other = openScreen({ cwd: workspace.root });
    await untilIdle(other);
    other.type(`say in another terminal${ENTER}`);
    await other.until("● in another terminal");
    await untilIdle(other);
    other.type(CTRL_D);
    expect(await other.exited).toBe(0);

    await using list = openScreen({ cwd: workspace.root, args: ["--list-sessions"], columns: 200 });
    expect(await list.exited).toBe(0);
    const [, row = ""] = /^(\S+ .*write later\.txt.*)$/m.exec(list.text()) ?? [];
    expect(row).toContain(workspace.root);
    id = row.slice(0, 8);

    await using taken = openScreen({ cwd: workspace.root, args: ["--resume", id] });
    expect(await taken.exited).toBe(2);
    expect(taken.text()).toMatch(
      /^the session \S+ is open in another process; close it there first$/,
    );
    // The end of this block kills dt, because a resume must also work without a clean exit.
  }

  await using resumed = openScreen({ cwd: workspace.root, args: ["--resume", id] });
  const shown = await resumed.until(/Allow write_file\?[\s\S]*› 1 Allow once/);
  expect(shown).toContain("● remember me");
  expect(shown).toContain(`session ${id}`);
  resumed.type("1");
  await resumed.until("● done");
  expect(await workspace.read("later.txt")).toBe("1");
  await untilIdle(resumed);
  resumed.type(CTRL_D);
  expect(await resumed.exited).toBe(0);

  await using last = openScreen({ cwd: workspace.root, args: ["--resume"] });
  await last.until("● remember me");
  await using missing = openScreen({ cwd: workspace.root, args: ["--resume", "nothing"] });
  expect(await missing.exited).toBe(2);
  expect(missing.text()).toBe("there is no session nothing; dt --list-sessions shows all sessions");
});

test("dt deletes a session with all its data, but not while it is open", async () => {
  await using workspace = await openTempWorkspace();
  const options = {
    cwd: workspace.root,
    env: { PATH: process.env.PATH, HOME: workspace.root, DT_MODEL: "offline" },
  };
  const dt = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [main, ...args], options);
  await dt("--yolo", "-p", "write a.txt: to be deleted");
  await using screen = openScreen({ cwd: workspace.root });
  await untilIdle(screen);
  screen.type(`say open${ENTER}`);
  await screen.until("● open");
  const listed = (await dt("--list-sessions")).stdout.trim().split("\n");
  const [open = "", other = ""] = listed.map((line) => line.slice(0, 8));
  const kept = path.join(workspace.root, ".local/share/dt/sessions");
  expect((await readdir(kept)).map((name) => name.slice(0, 8))).toEqual([other]);

  expect((await dt("--delete-session", other)).stdout).toMatch(
    /^deleted: .*write a.txt: to be deleted\n$/,
  );
  await expect(dt("--delete-session", other)).rejects.toMatchObject({
    code: 2,
    stderr: `there is no session ${other}; dt --list-sessions shows all sessions\n`,
  });
  await expect(dt("--delete-session", open)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^[^\n]+\n$/),
  });

  expect((await dt("--list-sessions")).stdout.trim().split("\n")).toEqual([
    expect.stringContaining("say open"),
  ]);
  expect(await readdir(kept)).toEqual([]);
});

test("dt -p does not wait for an open question of the session", async () => {
  await using workspace = await openTempWorkspace();
  await using first = openScreen({ cwd: workspace.root });
  await untilIdle(first);
  first.type(`write never.txt: 1${ENTER}`);
  await first.until(/Allow write_file\?[\s\S]*› 1 Allow once/);
  first.type(CTRL_D);
  expect(await first.exited).toBe(0);

  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [main, "--resume", "-p", "say gone on"],
    {
      cwd: workspace.root,
      env: { PATH: process.env.PATH ?? "", HOME: workspace.root, DT_MODEL: "offline" },
    },
  );

  expect(stdout).toBe("gone on\n");
  expect(stderr).toContain("never.txt: refused because nobody can be asked");
  await expect(workspace.read("never.txt")).rejects.toThrow("ENOENT");
});

test("dt attach shows a task of a server and continues it", async () => {
  await using stage = await openStage();
  const client = await connect(stage.url, { clientName: "starter" });
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "write a.txt: hi then say written",
  });

  await using screen = openScreen({
    cwd: stage.workspace.root,
    args: ["attach", stage.url, task.taskId],
    columns: 120,
  });
  const shown = await screen.until(/Allow write_file\?[\s\S]*› 1 Allow once/);
  expect(shown).toContain("[A2A] starter write a.txt: hi then say written");
  screen.type("1");
  await screen.until("● written");
  await untilIdle(screen);
  screen.type(`say the next task${ENTER}`);
  await screen.until("● the next task");
  await untilIdle(screen);
  screen.type("\x03");
  await screen.until("press Ctrl-C again");
  screen.type("\x03");
  expect(await screen.exited).toBe(130);
  client.close();
});

test("dt prints one error line if writing to stdout fails", async () => {
  await using workspace = await openTempWorkspace();
  const command = `"${process.execPath}" "${main}" -p "say hi" < /dev/null > /dev/full`;
  const env = { PATH: process.env.PATH, HOME: workspace.root, DT_MODEL: "offline" };
  const failed = promisify(execFile)("/bin/sh", ["-c", command], { cwd: workspace.root, env });

  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^standard output cannot be written: .*ENOSPC.*\n$/),
  });
});

test("dt attach exits with 2 and one error line if there is no agent at the address", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({
    cwd: workspace.root,
    args: ["attach", "http://127.0.0.1:9"],
    columns: 200,
  });

  expect(await screen.exited).toBe(2);
  expect(screen.text().split("\n")).toHaveLength(1);
});
