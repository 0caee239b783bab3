import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openScreen, type Screen } from "./support/open-screen.js";
import { openStreamingModel } from "./support/open-streaming-model.js";

const ENTER = "\r";
const ESC = "\x1b";
const ctrl = (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96);
const PROMPT = "Ask anything";
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are control sequences
const STYLE_SEQUENCE = /\x1b\[[\d;]*m/g;

/** Waits until the agent is idle and the input field is empty. */
const untilIdle = (screen: Screen) =>
  screen.until((text) => text.includes(PROMPT) && !text.includes("working"));

function countOf(text: string, what: string | RegExp): number {
  return text.split(what).length - 1;
}

/** Returns the number of the first `line …` on a screen. */
function topLine(text: string): number {
  return Number(/line (\d+)/.exec(text)?.[1]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until the agent is idle, sends a prompt, and waits until the history shows it. */
async function send(screen: Screen, text: string): Promise<void> {
  await untilIdle(screen);
  const before = countOf(screen.history(), /^> /m);
  screen.type(text + ENTER);
  await screen.until(() => countOf(screen.history(), /^> /m) > before);
}

test("dt opens with an empty input field, streams a reply as Markdown, and exits on Ctrl-D", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root });

  await send(screen, "say # A title\rthink Plan: look first");
  await screen.until("A title");
  await send(screen, "chunks 200");
  await screen.until("chunk 200");

  const shown = await untilIdle(screen);
  expect(shown).toContain("offline · mode default");
  expect(shown.match(/^> Ask anything/gm)).toHaveLength(1);
  const history = screen.history();
  for (const line of ["● A title", "● chunk 1", "  chunk 150"]) expect(history).toContain(line);
  expect(history.match(/chunk 77$/gm)).toHaveLength(1);
  screen.type(ctrl("d"));
  expect(await screen.exited).toBe(0);
  expect(screen.history()).toContain("to continue: dt --resume ");
});

const REPLY = `# Plan

Do **two** things:

1. look
2. change a line that is far too long for one line of this terminal, which wraps it

\`\`\`ts
/* over
   lines */
export const a = "b"; // c
\`\`\`

| name | what |
|------|------|
| one  | first |
`;

test("a streaming reply is rendered as Markdown with coloured code and its token usage", async () => {
  await using workspace = await openTempWorkspace();
  await using model = await openStreamingModel(REPLY);
  await using screen = openScreen({
    cwd: workspace.root,
    args: ["--model", "openai:talker"],
    columns: 70,
    environment: model.environment,
  });

  await send(screen, "go");
  await screen.until("one  │ first");
  await screen.until("openai:talker · mode default · 1.2k in, 56 out");

  const [, shown = ""] = /(● Plan[\s\S]*?)\n─/.exec(screen.text()) ?? [];
  expect(shown.split("\n")).toEqual([
    "● Plan",
    "",
    "  Do two things:",
    "",
    "  1. look",
    "  2. change a line that is far too long for one line of this terminal,",
    "     which wraps it",
    "",
    "    /* over",
    "       lines */",
    '    export const a = "b"; // c',
    "",
    "  name │ what",
    "  ─────┼──────",
    "  one  │ first",
  ]);
  expect(screen.raw()).toContain("\x1b[35mexport");
  expect(screen.raw()).toContain('\x1b[32m"b"');
});

test("a person can refuse a call, approve it, or approve edited content", async () => {
  await using workspace = await openTempWorkspace();
  const editor = path.join(workspace.root, "fake-editor.sh");
  await writeFile(editor, '#!/bin/sh\nprintf "edited by hand" > "$1"\n');
  await chmod(editor, 0o755);
  await using screen = openScreen({
    cwd: workspace.root,
    environment: { EDITOR: editor, VISUAL: "" },
  });

  await send(screen, "write refused.txt: hi");
  const dialog = await screen.until(/Allow write_file\?[\s\S]*› 1 Allow once/);
  expect(dialog).toContain("+hi");
  expect(dialog).toContain("refused.txt");
  expect(dialog).toContain("› 1 Allow once");
  screen.type("\x1b[B\x1b[B");
  await screen.until("› 3 Reject");
  screen.type(ENTER);
  await screen.until("cancelled");

  await send(screen, "write allowed.txt: hi then say well");
  await screen.until(/Allow write_file\?[\s\S]*allowed\.txt[\s\S]*› 1 Allow once/);
  screen.type("1");
  await screen.until("● well");
  expect(await workspace.read("allowed.txt")).toBe("hi");

  await send(screen, "write edited.txt: hi then say done");
  await screen.until("e edit it first");
  screen.type("e");
  await screen.until("● done");
  expect(await workspace.read("edited.txt")).toBe("edited by hand");

  const long = Array.from({ length: 80 }, (_, index) => `word-${index}`).join(" ".repeat(90));
  await send(screen, `write long.txt: ${long}`);
  const cut = await screen.until(/more lines \(Ctrl-O shows all\)[\s\S]*› 1 Allow once/);
  expect(cut).not.toMatch(/│.*word-79/);
  screen.type(ctrl("o"));
  await screen.until((text) => text.includes("q closes") && text.includes("word-79"));
  screen.type("q");
  await screen.until("› 1 Allow once");
  screen.type("3");
  await screen.until((text) => !text.includes("Allow write_file?"));

  await send(screen, "run echo out; echo err >&2");
  const shell = await screen.until(/Allow run_shell_command\?[\s\S]*› 1 Allow once/);
  expect(shell).toContain("echo out; echo err >&2");
  screen.type("1");
  await screen.until(/✓ run_shell_command[\s\S]*out/);
  await untilIdle(screen);
  expect(screen.text()).not.toContain("Allow run_shell_command?");
  await expect(workspace.read("refused.txt")).rejects.toThrow("ENOENT");
});

test("text typed while a dialog opens goes to the input field and answers no question", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root });

  await send(screen, "write typed.txt: hi then say over");
  await screen.until("Allow write_file?");
  for (const letter of `say 1 more${ENTER}`) screen.type(letter);
  await screen.until("queued: say 1 more");
  await screen.until("Tab to answer");
  await expect(workspace.read("typed.txt")).rejects.toThrow("ENOENT");
  screen.type("\t");
  await screen.until("› 1 Allow once");
  for (const letter of "1 or 2") screen.type(letter);
  await screen.until("> 1 or 2");
  await expect(workspace.read("typed.txt")).rejects.toThrow("ENOENT");
  screen.type(`${ctrl("u")}\t`);
  await screen.until("› 1 Allow once");
  screen.type("3");
  await screen.until("● 1 more");
});

test("a terminal of 6 rows shows a question, and with 4 rows Enter does not answer it", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root, columns: 60, rows: 6 });

  await send(screen, "run echo low");
  const low = await screen.until("› 1 Allow once");
  expect(low).toContain("Allow run_shell_command?");
  expect(low).toContain("echo low");
  await screen.resize(60, 4);
  await screen.until("make the window larger");
  screen.type(ENTER);
  await screen.resize(60, 12);
  await screen.until("› 1 Allow once");
  screen.type(ENTER);
  await screen.until("✓ run_shell_command");
});

test.each([
  [60, 8],
  [20, 10],
])(
  "on a %i×%i terminal a cut-off command can be approved only after the pager has shown it",
  async (columns, rows) => {
    await using workspace = await openTempWorkspace();
    await using screen = openScreen({ cwd: workspace.root, columns, rows });
    const harmless = `echo this is a ${"perfectly ".repeat(20)}harmless command`;

    await send(screen, `run ${harmless}; echo DANGER > danger.txt`);
    const cut = await screen.until("› 1 Allow once");
    expect(cut).toContain("Ctrl-O");
    screen.type(ENTER);
    await screen.until("press Ctrl-O to s");
    await expect(workspace.read("danger.txt")).rejects.toThrow("ENOENT");
    screen.type(ctrl("o"));
    await screen.until("danger.txt");
    screen.type("q");
    await screen.until("› 1 Allow once");
    screen.type(ENTER);
    await screen.until(() => screen.history().includes("✓"));
    expect(await workspace.read("danger.txt")).toBe("DANGER\n");
  },
);

test("Esc cancels the turn, queued prompts run next, and Ctrl-C twice exits", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root });

  await send(screen, "wait 3600000 then say never");
  await screen.until("working");
  screen.type(`say second${ENTER}`);
  await screen.until("queued: say second");
  await screen.until("1 queued");
  screen.type(ESC);
  await screen.until("the turn was cancelled");
  // Esc does not cancel queued prompts, because they may belong to other clients.
  await screen.until("● second");
  await send(screen, "say third");
  await screen.until("● third");

  await untilIdle(screen);
  screen.type(`half a prompt${ctrl("c")}`);
  await screen.until("press Ctrl-C again to leave");
  screen.type(ctrl("c"));
  expect(await screen.exited).toBe(130);
});

test("dt does not exit if the second Ctrl-C comes too late", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root });
  const asks = "press Ctrl-C again to leave";

  await untilIdle(screen);
  screen.type(ctrl("c"));
  await screen.until(asks);
  await screen.until((text) => !text.includes(asks));
  screen.type(ctrl("c"));
  await screen.until(asks);
  await send(screen, "say still here");
  await screen.until("● still here");
});

test("a queued prompt can be withdrawn with Up, edited and sent again", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root });

  await send(screen, "wait 3600000 then say never");
  await screen.until("working");
  screen.type(`say one${ENTER}`);
  await screen.until("queued: say one");
  screen.type(`say two${ENTER}`);
  await screen.until(/queued: say two\n {2}↑ withdraws your last prompt/);
  screen.type("\x1b[A");
  await screen.until("> say two");
  expect(screen.text()).not.toContain("queued: say two");
  screen.type(` and a half${ENTER}`);
  await screen.until("queued: say two and a half");
  screen.type(ESC);

  await screen.until("● two and a half");
  await untilIdle(screen);
  expect(screen.history().match(/^● .*$/gm)).toEqual(["● one", "● two and a half"]);
});

test("closing the terminal ends dt and its running command", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root, args: ["--yolo"] });

  await send(screen, "run echo the pid is $$ && exec sleep 3600");
  const shown = await screen.until(/^ {2}the pid is \d+$/m);
  const pid = Number(/the pid is (\d+)$/m.exec(shown)?.[1]);
  expect(isAlive(pid)).toBe(true);
  screen.hangUp();

  expect(await screen.exited).toBe(129);
  expect(isAlive(pid)).toBe(false);
});

test("dt on a dumb terminal exits with 130 on Ctrl-C", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root, environment: { TERM: "dumb" } });

  await screen.until(/^>$/m);
  screen.type(ctrl("c"));

  expect(await screen.exited).toBe(130);
});

test("a failed command shows a cross, its exit code and the first and last lines of its output", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root, args: ["--yolo"] });
  await screen.until("Ask anything");

  screen.type(`run seq 1 20; exit 3${ENTER}`);

  await screen.until(/^✗ run_shell_command .*exit 3 · exit code 3 · [\d.]+s$/m);
  expect(screen.text()).toMatch(
    /^ {2}1\n {2}2\n {2}3\n {2}… 14 more lines .*\n {2}18\n {2}19\n {2}20$/m,
  );
});

test("Enter on a fully typed command runs it although it has sub-commands", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root });
  await screen.until("Ask anything");

  screen.type("/memory");
  await screen.until("› /memory");
  screen.type(ENTER);

  await screen.until(/^> \/memory$/m);
});

test("Ctrl-C at a question of dt -p cancels the turn and exits with 130", async () => {
  await using workspace = await openTempWorkspace();
  const args = ["--model", "offline", "-p", "run echo hi then say going on"];
  await using screen = openScreen({ cwd: workspace.root, args });

  await screen.until("1 Allow once");
  screen.type(ctrl("c"));

  expect(await screen.exited).toBe(130);
  expect(screen.text()).not.toMatch(/^going on|refused/m);
});

test("the input field supports editing, history, pasting and completion", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, ".gitignore"), "ignored.txt\n");
  await writeFile(path.join(workspace.root, "ignored.txt"), "x");
  await writeFile(path.join(workspace.root, "needle-file.txt"), "x");
  await using screen = openScreen({ cwd: workspace.root });

  await untilIdle(screen);
  // Ctrl-J, Alt-Enter and a backslash before Enter each add a new line.
  screen.type(`say one\nsay two${ESC}${ENTER}say thre\\${ENTER}`);
  await screen.until((text) => /> say one\n {2}say two\n {2}say thre\n/.test(text));
  screen.type(`\x7f\x7fee${ctrl("a")}${ctrl("k")}${ctrl("y")}${ENTER}`);
  await screen.until("● onetwothree");

  await untilIdle(screen);
  screen.type("\x1b[A");
  await screen.until((text) => /> say one\n {2}say two\n {2}say three\n─/.test(text));
  screen.type(ctrl("c"));
  await screen.until("press Ctrl-C again");

  screen.type("\x1b[200~say pasted\rsay twice\x1b[201~");
  await screen.until((text) => /> say pasted\n {2}say twice\n─/.test(text));
  screen.type(ENTER);
  await screen.until("● pastedtwice");

  await untilIdle(screen);
  screen.type("read @needle");
  const files = await screen.until("› needle-file.txt");
  expect(files).not.toContain("ignored.txt");
  screen.type(`\t${ctrl("u")}`);
  await untilIdle(screen);
  screen.type("read @ignored");
  await screen.until("> read @ignored");
  screen.type(ctrl("u"));

  await untilIdle(screen);
  screen.type("/mem");
  await screen.until(/› \/memory/);
  screen.type("\t");
  const menu = await screen.until("/memory add");
  expect(menu).toContain("/memory show");
  screen.type("ad\t");
  await screen.until(/> \/memory add $|> \/memory add\n/m);
  screen.type(ctrl("u"));
  await untilIdle(screen);
  screen.type(`/mode${ENTER}`);
  await screen.until("the mode is default");
  await untilIdle(screen);
  screen.type(`/nope${ENTER}`);
  await screen.until("there is no command /nope");
  await untilIdle(screen);
  screen.type(`/quit${ENTER}`);
  expect(await screen.exited).toBe(0);
});

test("a file that a prompt mentions with @ is attached, and Tab completes its name", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "a file with space.txt"), "spaced content\n");
  await using screen = openScreen({ cwd: workspace.root });

  await untilIdle(screen);
  screen.type("read @spac");
  await screen.until("a file with space.txt");
  screen.type("\t");
  await screen.until("> read @a\\ file\\ with\\ space.txt");
  screen.type(ENTER);
  await screen.until(/✓ read_file[\s\S]*spaced content/);
  expect(screen.history()).toContain("  + a file with space.txt (15 bytes)");
});

test("a running call shows live output, and the pager shows whole outputs and thoughts", async () => {
  await using workspace = await openTempWorkspace();
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");
  await writeFile(path.join(workspace.root, "long.txt"), lines);
  await using screen = openScreen({ cwd: workspace.root, args: ["--yolo"], rows: 20 });

  await send(screen, "run mkfifo gate && echo live line && cat gate");
  // The running call shows its elapsed time and its output so far.
  await screen.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] run_shell_command .* \d\.\ds\n {2}live line\n/);
  await writeFile(path.join(workspace.root, "gate"), "through the gate\n");
  await screen.until(/✓ run_shell_command[\s\S]*through the gate/);

  await send(screen, "fail on purpose");
  await screen.until("✗ on purpose");
  await send(screen, "think Plan: a hidden thought then run cat long.txt");
  await screen.until("more lines (Ctrl-O shows all)");
  await untilIdle(screen);
  expect(screen.history().match(/a hidden thought/g)).toHaveLength(1);
  screen.type(ctrl("o"));
  const pager = await screen.until("q closes");
  expect(pager).toContain("line 40");
  // Letters that arrive together are separate keys.
  screen.type("kkkkk");
  await screen.until((text) => topLine(text) === topLine(pager) - 5);
  screen.type("xg");
  await screen.until("✗ on purpose");
  await screen.until(/∴ Plan\n {2}a hidden thought/);
  screen.type("Gq");
  await screen.until((text) => text.includes("mode yolo") && countOf(text, PROMPT) === 1);
  // Each key applies to the screen or pager that the keys before it opened.
  screen.type(`${ctrl("o").repeat(4)}say after${ENTER}`);
  await screen.until("● after");
  expect(screen.text()).not.toContain("q closes");
});

test("the screen is complete at 60 columns, after resizes and without colour", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({
    cwd: workspace.root,
    columns: 110,
    environment: { NO_COLOR: "1" },
  });

  await send(screen, `say ${"word ".repeat(40)}`);
  await screen.until("● word");
  await screen.resize(60, 24);
  await screen.until((text) => countOf(text, PROMPT) === 1 && countOf(text, /^─+$/gm) === 2);
  await screen.resize(100, 12);
  await screen.until((text) => countOf(text, PROMPT) === 1 && countOf(text, /^─+$/gm) === 2);
  await screen.resize(60, 30);
  await screen.until((text) => countOf(text, PROMPT) === 1 && countOf(text, /^─+$/gm) === 2);
  await send(screen, `write narrow.txt: ${"long ".repeat(30)}`);
  const dialog = await screen.until("› 1 Allow once");
  expect(dialog.split("\n").every((line) => line.length <= 60)).toBe(true);
  screen.type("3");
  await screen.until((text) => countOf(text, PROMPT) === 1 && countOf(text, /^─+$/gm) === 2);

  // The only style is the inverse video of the cursor.
  expect(new Set(screen.raw().match(STYLE_SEQUENCE))).toEqual(new Set(["\x1b[7m", "\x1b[27m"]));
});

test("control sequences in replies, files and tool output are escaped or removed", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root, args: ["--yolo"] });
  const attack = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b5A\u202Eabc";

  await untilIdle(screen);
  screen.type(`\x1b[200~say ${attack}\x1b[201~${ENTER}`);
  await screen.until("● ␛]0;owned␇␛[2J␛[31mred\\u{9b}5A\\u{202e}abc");
  await untilIdle(screen);
  await send(
    screen,
    "run printf 'a\\033[2Jb\\n' | tee seq.txt; touch \"$(printf 'evil\\033[1Afile')\"; ls",
  );
  // The shell tool removes sequences from its output. Sequences in a file are shown escaped.
  await screen.until(/✓ run_shell_command[\s\S]*\n {2}ab\n {2}evilfile\n/);
  await untilIdle(screen);
  await send(screen, "read seq.txt");
  await screen.until(/✓ read_file[^\n]*\n {2}a␛\[2Jb\n/);
  await untilIdle(screen);

  const sent = screen.raw();
  expect(sent).not.toContain("\x1b]0;owned");
  expect(sent).not.toContain("\x1b[2J");
  expect(sent).not.toContain("evil\x1b");
  expect(sent).not.toContain("\u202E");
});
