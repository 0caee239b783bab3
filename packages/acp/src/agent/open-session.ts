import type {
  ContentBlock,
  SessionConfigOption,
  SessionModeState,
  StopReason,
} from "@agentclientprotocol/sdk";
import { type FaceReply, type FaceRequest, isOwnOrigin, ProtocolError, textOf } from "@dt/schema";
import { fromContent } from "../mapping/from-content.js";
import {
  CONFIG_IDS,
  encodeConfigOptions,
  encodeModes,
  findNamedCommand,
  isModeId,
} from "../mapping/session-options.js";
import { textContent } from "../mapping/to-content.js";
import type { TurnOutcome } from "./advance-turns.js";
import { createEditorQuestions } from "./ask-editor.js";
import type { Editor } from "./editor.js";
import type { EditorSession } from "./editor-host.js";
import { createEventStream } from "./event-stream.js";
import { openStateStream } from "./state-stream.js";
import { createTurnBook } from "./turn-book.js";

/** One session of the editor. */
export interface OpenSession {
  /** Modes and options of the session, for the reply that opens it. */
  options(): SessionOptionsReply;
  /** Shows everything that happened up to now. */
  replay(): Promise<void>;
  /** Asks the open questions, and shows all events from now on. */
  start(): void;
  /** Sends a prompt or a slash command; resolves when its turn is over. */
  prompt(content: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason>;
  /** Cancels the running turn, and withdraws the editor's own waiting prompts. */
  cancel(): Promise<void>;
  /** Sets the permission mode or the model; resolves with all options. */
  setOption(configId: string, value: string): Promise<SessionConfigOption[]>;
  /** Stops following the session, which stays open, and returns it. The editor's prompts end as cancelled. */
  detach(): Promise<EditorSession>;
  /** Ends the session. Its questions stay open. */
  close(): Promise<void>;
}

/** Modes and options of a session, in the form of a reply to the editor. */
export interface SessionOptionsReply {
  readonly modes?: SessionModeState;
  readonly configOptions: SessionConfigOption[];
}

/** Opens a session for the editor. The editor sees nothing before `replay` or `start` is called. */
export async function openSession(
  editor: Editor,
  session: EditorSession,
  onFault: (reason: unknown) => void,
): Promise<OpenSession> {
  const { face, directory, models } = session;
  const { contextId: sessionId } = face;
  const closing = new AbortController();
  const { signal } = closing;
  const turns = createTurnBook(({ origin }) => isOwnOrigin(face.traits, origin));
  const questions = createEditorQuestions({ editor, face, sessionId, directory, onFault });
  const stream = createEventStream({ editor, session, questions, turns, signal });
  const states = await openStateStream(editor, session, signal);
  let following: Promise<unknown> | undefined;

  /** Sends a request that starts a turn; resolves when the turn is over. */
  async function runTurn(
    request: FaceRequest,
    text: string,
    isSilent = false,
  ): Promise<TurnOutcome | (FaceReply & { readonly type: "refused" })> {
    const turn = turns.expect(text, { isSilent });
    try {
      const reply = await face.handle(request);
      if (reply.type !== "refused") return await turn.ended;
      turn.forget();
      return reply;
    } catch (reason) {
      turn.forget();
      throw reason;
    }
  }

  function runCommand(path: readonly string[], args: string, isSilent = false) {
    const text = `/${path.join(" ")}${args === "" ? "" : ` ${args}`}`;
    return runTurn({ type: "command", path, args }, text, isSilent);
  }

  async function cancel(): Promise<void> {
    for (const messageId of turns.queuedIds()) await face.handle({ type: "withdraw", messageId });
    await face.handle({ type: "cancel" });
  }

  return {
    options() {
      const { status } = states.state();
      const modes = encodeModes(status);
      return { ...(modes && { modes }), configOptions: encodeConfigOptions(status, models) };
    },
    replay: () => stream.replay(),
    start() {
      if (following !== undefined) return;
      following = Promise.all([stream.follow(states.state().view), states.follow()])
        .catch(onFault)
        .finally(turns.close);
    },
    async prompt(content, cancelled) {
      const parts = fromContent(content);
      const command = findNamedCommand(textOf(parts), states.state().commands);
      const onCancel = () => void cancel().catch(onFault);
      cancelled.addEventListener("abort", onCancel, { once: true });
      try {
        const outcome = await (command === undefined
          ? runTurn({ type: "prompt", parts }, textOf(parts))
          : runCommand(command.path, command.args));
        if (outcome.type === "refused" && command !== undefined) {
          // The reason why a command cannot start is shown as text, as in the terminal.
          const content = textContent(outcome.message);
          await editor.show(sessionId, [{ sessionUpdate: "agent_message_chunk", content }]);
          return "end_turn";
        }
        return toStopReason(outcome);
      } finally {
        cancelled.removeEventListener("abort", onCancel);
      }
    },
    cancel,
    async setOption(configId, value) {
      if (configId !== CONFIG_IDS.mode && configId !== CONFIG_IDS.model) {
        throw new ProtocolError("invalid-message", `there is no option ${configId}`);
      }
      if (configId === CONFIG_IDS.mode && !isModeId(value)) {
        throw new ProtocolError("invalid-message", `there is no mode ${value}`);
      }
      toStopReason(await runCommand([configId], value, true));
      // The state of the session may not have the new value yet.
      return encodeConfigOptions({ ...states.state().status, [configId]: value }, models);
    },
    async detach() {
      questions.close();
      closing.abort();
      await following;
      turns.close();
      return session;
    },
    async close() {
      questions.close();
      // The session closes first, so that the editor gets its last events.
      await face.close();
      closing.abort();
      await following;
      turns.close();
    },
  };
}

function toStopReason(outcome: TurnOutcome | (FaceReply & { readonly type: "refused" })) {
  switch (outcome.type) {
    case "completed":
      return "end_turn" as const;
    case "cancelled":
      return "cancelled" as const;
    case "failed":
      throw new ProtocolError("internal", outcome.error);
    case "refused":
      throw new ProtocolError(outcome.code ?? "invalid-message", outcome.message);
  }
}
