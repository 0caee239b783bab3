// Shows Gemini CLI behind dt-server, with an editor and a browser on the same session: `npm run interop -- --show`.
// docs/guides/any-agent.md has a recorded run.
import { AGENTS } from "../agents/agents.mjs";
import { openAgentStage } from "../agents/open-agent-stage.mjs";
import { installClient } from "../install.mjs";
import { openEditor } from "./open-editor.mjs";
import { openChromium, servePage } from "./open-page.mjs";

const WAIT_MS = 120_000;

/** Prints one line for each thing that a participant sees. */
const printAs = (name) => (text) => {
  if (text !== undefined) process.stdout.write(`${`[${name}]`.padEnd(10)} ${text}\n`);
};

const agent = AGENTS.find(({ preset }) => preset === "gemini");
const { directory, version } = installClient(agent, { isFresh: false });
const page = await servePage();
const stage = await openAgentStage({
  agent,
  directory,
  variables: { DT_ALLOWED_ORIGINS: page.origin },
});
const print = printAs("show");
print(`${agent.name} ${version} runs behind dt-server`);
const editor = await openEditor({ url: stage.url, home: stage.home, print: printAs("editor") });
const chromium = await openChromium();
try {
  await show();
} finally {
  await chromium[Symbol.asyncDispose]();
  editor.close();
  page.close();
  await stage.close();
}

async function show() {
  const sessionId = await editor.open(stage.workspace);
  print("the editor prompts: write notes.txt: hello then say done");
  const prompting = editor.prompt(sessionId, "write notes.txt: hello then say done");

  const browser = await openTask(await findTask());
  const button = browser.locator('[data-option="proceed_once"]');
  await button.waitFor({ timeout: WAIT_MS });
  printAs("browser")(`shows the question: ${await lastLines(browser, 8)}`);
  print("the browser approves");
  await button.click();
  print(`the editor's prompt ended: ${await prompting}; notes.txt: ${stage.readFile("notes.txt")}`);

  print("the browser prompts: say hello from Gemini CLI");
  await browser.fill('#prompt [name="text"]', "say hello from Gemini CLI");
  await browser.click('#prompt [type="submit"]');
  await browser.getByText("hello from Gemini CLI").last().waitFor({ timeout: WAIT_MS });
  await browser.locator("#task-state", { hasText: "completed" }).waitFor({ timeout: WAIT_MS });
  printAs("browser")(`shows: ${await lastLines(browser, 1)}`);
}

async function lastLines(browser, count) {
  const [shown = ""] = await browser.locator("#transcript").allInnerTexts();
  return shown.split("\n").filter(Boolean).slice(-count).join(" | ");
}

/** Finds the task that the editor's prompt has started. */
async function findTask() {
  for (;;) {
    for await (const { taskId } of stage.client.listTasks()) return taskId;
  }
}

async function openTask(taskId) {
  const context = await chromium.browser.newContext();
  const opened = await context.newPage();
  const query = new URLSearchParams({ agent: stage.url, workspace: stage.workspace });
  await opened.goto(`${page.origin}/?${query}#task=${taskId}`);
  return opened;
}
