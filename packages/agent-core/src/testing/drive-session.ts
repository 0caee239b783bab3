import {
  type AnswerRequest,
  type AnswerVerdict,
  type Caller,
  type CommandRequest,
  type CommandStart,
  driveAgent,
  type HeldMode,
  type PermissionMode,
  type PromptContent,
  type QuestionAnswer,
  type SlashCommand,
  type Ticket,
} from "@dt/schema";
import { createSession, type SessionOptions } from "../session/create-session.js";
import type { Session } from "../session/session.js";
import { createModelEngine, type ModelEngineOptions } from "../turn/create-model-engine.js";

/** Methods of a session for tests, one for each request. They throw if the request is refused. */
export interface SessionMethods {
  prompt(prompt: PromptContent, caller: Caller, options?: { steer?: boolean }): Promise<Ticket>;
  withdraw(messageId: string): Promise<boolean>;
  answer(
    confirmation: QuestionAnswer,
    caller: Caller,
    options?: Pick<AnswerRequest, "messageId" | "taskId">,
  ): Promise<AnswerVerdict>;
  cancel(taskId: string): Promise<boolean>;
  retry(): Promise<Ticket | undefined>;
  runCommand(request: Omit<CommandRequest, "type">, caller: Caller): Promise<CommandStart>;
  finish(): Promise<boolean>;
  commands(): Promise<readonly SlashCommand[]>;
  mode(credential: string | undefined): Promise<PermissionMode>;
  otherModes(credential: string): Promise<readonly HeldMode[]>;
}

/** A session with the methods of {@link SessionMethods}. */
export type DrivenSession<TSession extends Session = Session> = TSession & SessionMethods;

const ANYONE: Caller = { user: "anyone", name: "anyone", role: "admin" };

/** Options of a session whose turns use a model. */
export type ModelSessionOptions = Omit<SessionOptions, "engine"> & ModelEngineOptions;

/** Opens a session whose turns use a model, and adds {@link SessionMethods}. */
export async function openDrivenSession(options: ModelSessionOptions): Promise<DrivenSession> {
  const { now } = options;
  const elapsedMs = now && (() => now().getTime());
  const engine = createModelEngine({ ...options, ...(elapsedMs !== undefined && { elapsedMs }) });
  return driveSession(await createSession({ ...options, engine }));
}

/** Adds {@link SessionMethods} to an open session. */
export function driveSession<TSession extends Session>(session: TSession): DrivenSession<TSession> {
  const agent = driveAgent(session);
  return {
    ...session,
    prompt: (prompt, caller, { steer = false } = {}) =>
      steer ? agent.steer(prompt, caller) : agent.prompt(prompt, caller),
    withdraw: (messageId) => agent.withdraw(messageId, ANYONE),
    async answer(confirmation, caller, options = {}) {
      const [verdict] = await agent.answer({ answers: [confirmation], ...options }, caller);
      if (verdict === undefined) throw new Error("the session gave no verdict");
      return verdict;
    },
    cancel: (taskId) => agent.cancel(taskId, ANYONE),
    retry: () => agent.retry(ANYONE),
    runCommand: (request, caller) => agent.runCommand(request, caller),
    finish: () => agent.finish(ANYONE),
    commands: () => agent.listCommands(ANYONE),
    mode: async (credential) => (await agent.getModes(withCredential(credential))).mode,
    otherModes: async (credential) => (await agent.getModes(withCredential(credential))).others,
  };
}

function withCredential(credential: string | undefined): Caller {
  return credential === undefined ? ANYONE : { ...ANYONE, credential };
}
