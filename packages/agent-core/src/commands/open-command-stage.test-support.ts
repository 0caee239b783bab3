import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Caller, SessionEvent } from "@dt/schema";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { createOfflineModel } from "../model/offline/create-offline-model.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { openTempWorkspace, type TempWorkspace } from "../testing/temp-workspace.js";
import { createBuiltinTools } from "../tools/builtin/builtin-tools.js";
import type { Tool } from "../tools/tool.js";
import type { Command } from "./command.js";
import { parseCommandLine } from "./parse-command-line.js";

const ALICE: Caller = {
  user: "alice",
  name: "Alice",
  role: "approve",
  credential: "alice's socket",
};

/** Options of the stage. `commands` and `tools` are functions, because they depend on the directories. */
export interface CommandStageOptions
  extends Omit<Partial<ModelSessionOptions>, "commands" | "tools"> {
  readonly commands: (
    directories: StageDirectories,
  ) => Promise<readonly Command[]> | readonly Command[];
  readonly tools?: (directories: StageDirectories) => readonly Tool[];
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Directories of a stage. */
export interface StageDirectories {
  readonly workspace: TempWorkspace;
  /** A directory outside the workspace. */
  readonly directory: string;
}

/** Opens a real session on a real workspace, to run commands in it. */
export async function openCommandStage(options: CommandStageOptions) {
  const workspace = await openTempWorkspace();
  const directory = await mkdtemp(path.join(tmpdir(), "dt-commands-"));
  const directories = { workspace, directory };
  const write = async (file: string, text: string) => {
    const absolute = path.join(workspace.root, file);
    await mkdir(path.dirname(absolute), { recursive: true });
    await writeFile(absolute, text);
    return absolute;
  };
  for (const [file, text] of Object.entries(options.files ?? {})) await write(file, text);
  const commands = await options.commands(directories);
  const builtin = createBuiltinTools({
    environment: process.env,
    outputDirectory: path.join(directory, "output"),
    memoryFile: path.join(directory, "memory.md"),
  });
  const ledger = openMemoryLedger();
  const base = {
    model: createOfflineModel(),
    ledger,
    ...options,
    workspace,
    tools: [...builtin, ...(options.tools?.(directories) ?? [])],
    commands: () => commands,
  };
  let session = await openDrivenSession(base);
  let messages = 0;
  let ends = 0;

  async function until(
    fits: (event: SessionEvent) => boolean,
    count: number,
  ): Promise<SessionEvent> {
    let seen = 0;
    for await (const event of ledger.read()) {
      if (fits(event)) seen += 1;
      if (seen === count) return event;
    }
    throw new Error("the ledger ended");
  }

  const stage = {
    ...directories,
    ledger,
    write,
    session: () => session,
    /** Sends a command. Resolves with the reply, which comes when the command has started or has asked. */
    async begin(line: string, caller: Caller = ALICE) {
      const { path: commandPath, args } = parseCommandLine(line, await session.commands()) ?? {
        path: [],
        args: line,
      };
      messages += 1;
      const ids = { messageId: `m${messages}`, taskId: `t${messages}` };
      return await session.runCommand({ ...ids, path: commandPath, args }, caller);
    },
    /** Waits for the end of a turn. Call number n of this function waits for the n-th end. */
    async end(): Promise<SessionEvent> {
      ends += 1;
      return await until(isEnd, ends);
    },
    /** Sends a command and waits for its end; returns its text, or the error. */
    async run(line: string, caller: Caller = ALICE): Promise<string> {
      const before = stage.texts().length;
      const begun = await stage.begin(line, caller);
      if (begun.status === "FAILED_TO_START") return begun.message;
      const ended = await stage.end();
      const error = "error" in ended ? String(ended.error) : undefined;
      return error ?? stage.texts().slice(before).join("\n");
    },
    async prompt(text: string): Promise<SessionEvent> {
      messages += 1;
      const ids = { messageId: `m${messages}`, taskId: `t${messages}` };
      await session.prompt({ ...ids, parts: [{ type: "text", text }] }, ALICE);
      return await stage.end();
    },
    question: () => {
      const calls = session.snapshot().turn?.calls ?? [];
      return calls.find(({ toolCall }) => toolCall.confirmationRequest)?.toolCall;
    },
    async answer(selectedOptionId: string) {
      const toolCallId = stage.question()?.toolCallId ?? "";
      await session.answer({ toolCallId, selectedOptionId, modifiedDetails: undefined }, ALICE);
    },
    async untilAsked(count = 1) {
      await until((event) => event.kind === "STATE_CHANGE" && event.waiting !== undefined, count);
    },
    async reopen() {
      await session.close();
      session = await openDrivenSession({ ...base, journal: [...ledger.journal] });
    },
    texts: () =>
      ledger.events.flatMap((event) => (event.kind === "TEXT_CONTENT" ? [event.text] : [])),
    /** Returns the text of the last prompt that the model received. */
    lastPrompt(): string {
      const users = session.snapshot().history.filter((item) => item.role === "user");
      const parts = users.at(-1)?.parts ?? [];
      return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return stage;
}

function isEnd(event: SessionEvent): boolean {
  return event.kind === "STATE_CHANGE" && ["completed", "failed", "canceled"].includes(event.state);
}
