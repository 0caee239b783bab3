import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { createModel } from "@dt/agent-core";
import { SetupError } from "@dt/schema";
import type { UserEnvironment } from "../sessions/stored-sessions.js";
import { printLine } from "../terminal/print.js";
import { type SavedModel, saveModel } from "./saved-model.js";

/** Asks for a model and its key in a terminal, and saves both; resolves with the exit code. */
export async function runSetup(user: UserEnvironment): Promise<number> {
  using dialog = openDialog();
  try {
    return await chooseModel(user, dialog);
  } catch (reason) {
    if (dialog.isInterrupted()) return 130;
    throw reason;
  }
}

type Dialog = ReturnType<typeof openDialog>;

async function chooseModel(user: UserEnvironment, dialog: Dialog): Promise<number> {
  const model =
    (await dialog.ask("Model (gemini-2.5-pro, openai:NAME or offline) [gemini-2.5-pro]: ")) ||
    "gemini-2.5-pro";
  const variable = variableOf(model);
  const key = variable === undefined ? "" : await dialog.askSecret(`${variable} (not shown): `);
  if (variable !== undefined && key === "") throw new SetupError(`${model} needs ${variable}`);
  const saved: SavedModel = variable === undefined ? { model } : { model, variable, key };
  // A wrong model name is refused here, and not only when the first prompt runs.
  createModel({
    name: model,
    environment: { ...user.environment, ...(variable && { [variable]: key }) },
  });
  await saveModel(saved, user);
  printLine(
    `dt acp now uses ${model}. Variables in the editor's environment override this choice.`,
  );
  return 0;
}

function variableOf(model: string): SavedModel["variable"] {
  if (model === "offline") return undefined;
  return model.startsWith("openai:") ? "OPENAI_API_KEY" : "GEMINI_API_KEY";
}

/** Asks on the terminal, or reads the answers from a pipe. */
function openDialog() {
  let isMuted = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) process.stdout.write(chunk);
      done();
    },
  });
  const terminal = createInterface({
    input: process.stdin,
    output,
    terminal: process.stdin.isTTY === true,
  });
  const lines = terminal[Symbol.asyncIterator]();
  let isInterrupted = false;
  // In raw mode, Ctrl-C is a key and sends no signal.
  terminal.once("SIGINT", () => {
    isInterrupted = true;
    terminal.close();
  });
  async function ask(question: string): Promise<string> {
    process.stdout.write(question);
    const { value, done } = await lines.next();
    if (done === true) throw new SetupError("the set-up was ended before the last answer");
    return String(value).trim();
  }
  return {
    ask,
    isInterrupted: () => isInterrupted,
    async askSecret(question: string) {
      isMuted = true;
      try {
        return await ask(question);
      } finally {
        isMuted = false;
        process.stdout.write("\n");
      }
    },
    [Symbol.dispose]: () => terminal.close(),
  };
}
