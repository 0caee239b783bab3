import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openManualModel } from "./support/open-manual-model.js";
import { openScreen } from "./support/open-screen.js";

const PROMPT = "Ask anything";

/** Builds a paragraph that wraps at every tested width. */
const paragraph = (name: string) =>
  `begin-${name} ${"word ".repeat(40)}middle-${name} ${"word ".repeat(40)}end-${name}\n\n`;

const names = Array.from({ length: 12 }, (_, nth) => String(nth).padStart(2, "0"));

function countOf(text: string, what: string | RegExp): number {
  return text.split(what).length - 1;
}

test("a question is shown once after the window becomes too low and grows again", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root, columns: 90, rows: 28 });
  await screen.until(PROMPT);
  screen.type("run echo one; echo two\r");
  await screen.until(/in \/[\s\S]*› 1 Allow once/);

  await screen.resize(60, 6);
  await screen.until("› 1 Allow once (1 of 3)");
  await screen.resize(20, 10);
  await screen.until("Allow run_shell_c…");
  await screen.resize(90, 28);
  await screen.until("Enter or a number · Esc cancels the turn");

  expect(countOf(screen.history(), "Allow run_shell")).toBe(1);
  expect(countOf(screen.history(), PROMPT)).toBe(1);
  screen.type("3");
  await screen.until((text) => !text.includes("Allow once"));
  expect(countOf(screen.history(), "dt 0.1.0 in")).toBe(1);
});

test("a screen frame is drawn for the current window size, even without SIGWINCH", async () => {
  await using workspace = await openTempWorkspace();
  // setsid starts dt in another process session, to which the system does not send SIGWINCH.
  await using screen = openScreen({ cwd: workspace.root, starter: ["setsid", "--wait"] });
  await screen.until(PROMPT);

  await screen.resize(60, 24);
  screen.type(`${"x".repeat(70)}end`);
  await screen.until("end");

  // The indent of the second line shows that dt wrapped the text. A terminal would wrap it without an indent.
  expect(screen.text()).toMatch(/^> x{57,58}\n {2}x+end$/m);
  expect(countOf(screen.history(), "dt 0.1.0 in")).toBe(1);
  screen.type("\x15\x04");
  expect(await screen.exited).toBe(0);
});

test("each paragraph is shown once and complete after quick resizes while it streams", async () => {
  await using workspace = await openTempWorkspace();
  await using model = await openManualModel();
  await using screen = openScreen({
    cwd: workspace.root,
    args: ["--model", "openai:led"],
    columns: 100,
    environment: model.environment,
  });
  await screen.until(PROMPT);
  screen.type("go\r");
  for (const [round, name] of names.entries()) {
    const words = paragraph(name).split(" ");
    // Waits for output, which is usually a whole frame. dt cannot repair a frame that a resize interrupts.
    await screen.next();
    // Simulates a drag of the window's edge: the size changes faster than frames are drawn. The drag is
    // short, because dt draws even during a drag once the drag has lasted one second.
    for (const [index, word] of words.entries()) {
      await model.say(index === words.length - 1 ? word : `${word} `);
      if (index % 8 === 0 && index < 32)
        await screen.resize(60 + ((round * 17 + index) % 50), 24 + (index % 9));
    }
    await screen.until(`end-${name}`);
  }
  await model.end();
  await screen.until((text) => text.includes(PROMPT) && !text.includes("working"));

  // White space is removed, because the terminal rewraps printed text even within words.
  const history = screen.history().replace(/\s+/g, "");
  const counts = names.map((name) =>
    ["begin", "middle", "end"].map((part) => countOf(history, `${part}-${name}`)),
  );
  expect(counts).toEqual(names.map(() => [1, 1, 1]));
  expect(countOf(screen.history(), PROMPT)).toBe(1);
  expect(countOf(screen.history(), "working")).toBe(0);
  expect(countOf(screen.history(), "mode default")).toBe(1);
  expect(countOf(screen.history(), /^─+$/gm)).toBe(2);
});
