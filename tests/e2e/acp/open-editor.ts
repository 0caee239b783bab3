import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  type ClientCapabilities,
  type ClientContext,
  client,
  type McpServer,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";

/** The built program. */
export const main = path.resolve(import.meta.dirname, "../../../apps/cli/dist/main.js");

/** Options of {@link openEditor}. */
export interface EditorOptions {
  /** Home directory of the person. dt stores its sessions there. */
  readonly home: string;
  readonly args?: readonly string[];
  readonly capabilities?: ClientCapabilities;
  readonly environment?: Readonly<Record<string, string>>;
  /** Directory in which dt is started. Default: the directory in which the tests run. */
  readonly startDirectory?: string;
  /** MCP servers that each session names. */
  readonly mcpServers?: readonly McpServer[];
  /** Answers a question. Default: the question stays open. */
  answer?(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse>;
  /** Text of a file with unsaved changes. */
  readText?(file: string): string;
  writeText?(file: string, text: string): void;
}

/** An editor that uses the official client, connected to a process of `dt acp`. */
export interface TestEditor extends AsyncDisposable {
  readonly agent: ClientContext;
  /** All updates so far, oldest first. */
  readonly updates: readonly SessionUpdate[];
  /** All questions so far. */
  readonly questions: readonly RequestPermissionRequest[];
  /** Waits for a matching update. The update may have arrived already. */
  update(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  /** Waits until `count` questions were asked. */
  asked(count?: number): Promise<RequestPermissionRequest>;
  /** Opens a session in a directory; resolves with its id. */
  open(directory: string): Promise<string>;
  /** Sends a prompt of one text; resolves with the reason why its turn ended. */
  prompt(sessionId: string, prompt: string): Promise<string>;
  /** Returns all text of the agent so far. */
  said(): string;
  /** Kills dt with SIGKILL, like a crash. */
  kill(): Promise<void>;
  /** Closes the editor; resolves with dt's exit code. */
  close(): Promise<number | null>;
  /** Everything that dt wrote to standard error. Resolves when dt has ended. */
  readonly stderr: Promise<string>;
  /** Waits for a line on standard error that matches. */
  notice(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts `dt acp` with the offline model, as an editor does. */
export function startDt({ home, args = [], environment = {}, startDirectory }: EditorOptions) {
  const isChosen =
    args.some((arg) => ["--attach", "--agent"].includes(arg)) || environment.DT_MODEL !== undefined;
  const given = isChosen ? args : ["--model", "offline", ...args];
  return spawn(process.execPath, [main, "acp", ...given], {
    stdio: "pipe",
    ...(startDirectory !== undefined && { cwd: startDirectory }),
    env: { PATH: process.env.PATH ?? "", HOME: home, ...environment },
  });
}

/** Opens an editor on a new process of dt. */
export async function openEditor(options: EditorOptions): Promise<TestEditor> {
  const child = startDt(options);
  const stderr = text(child.stderr);
  const exited = once(child, "exit");
  let notices = "";
  child.stderr.on("data", (chunk) => {
    notices += chunk;
    changed();
  });
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of [...watchers]) watcher();
  };
  async function until<TFound>(find: () => TFound | undefined): Promise<TFound> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve, reject) => {
        const watcher = () => {
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
        child.once("exit", () => reject(new Error(`dt exited: ${JSON.stringify(updates)}`)));
      });
    }
  }
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
      changed();
    })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      questions.push(params);
      changed();
      if (options.answer !== undefined) return await options.answer(params, signal);
      return await new Promise<never>(() => {});
    });
  if (options.readText !== undefined) {
    app.onRequest(methods.client.fs.readTextFile, ({ params }) => ({
      content: options.readText?.(params.path) ?? "",
    }));
  }
  if (options.writeText !== undefined) {
    app.onRequest(methods.client.fs.writeTextFile, ({ params }) => {
      options.writeText?.(params.path, params.content);
      return {};
    });
  }
  const connection = app.connect(toStream(child));
  const { agent } = connection;
  await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: options.capabilities ?? {},
  });

  async function close(): Promise<number | null> {
    child.stdin.end();
    const [code] = child.exitCode === null ? await exited : [child.exitCode];
    connection.close();
    return code;
  }

  return {
    agent,
    updates,
    questions,
    stderr,
    notice: (pattern) => until(() => pattern.exec(notices) ?? undefined),
    update: (fits) => until(() => updates.find(fits)),
    asked: (count = 1) => until(() => questions[count - 1]),
    async open(cwd) {
      const request = { cwd, mcpServers: [...(options.mcpServers ?? [])] };
      const opened = await agent.request<NewSessionResponse>(methods.agent.session.new, request);
      return opened.sessionId;
    },
    async prompt(sessionId, prompt) {
      const request = { sessionId, prompt: [{ type: "text" as const, text: prompt }] };
      const reply = await agent.request<PromptResponse>(methods.agent.session.prompt, request);
      return reply.stopReason;
    },
    said: () => updates.map(textOfUpdate).join(""),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    close,
    async [Symbol.asyncDispose]() {
      await close();
    },
  };
}

/** Returns the text of an agent's message; "" for any other update. */
export function textOfUpdate(update: SessionUpdate): string {
  if (update.sessionUpdate !== "agent_message_chunk") return "";
  return update.content.type === "text" ? update.content.text : "";
}

/** Chooses an option of a question by its kind. */
export function choose(kind: string) {
  return async ({ options }: RequestPermissionRequest): Promise<RequestPermissionResponse> => {
    const option = options.find((each) => each.kind === kind);
    if (option === undefined) throw new Error(`no option of kind ${kind}`);
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  };
}

function toStream(child: ChildProcessWithoutNullStreams) {
  return ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
}
