import {
  type FacePort,
  isTerminalStatus,
  isWaiting,
  type Question,
  type ToolCall,
} from "@dt/schema";
import { encodeToolCall } from "../mapping/encode-tool-call.js";
import { decodeAnswer, encodeQuestion } from "../mapping/question.js";
import type { Editor } from "./editor.js";

/** Asks the editor about the open questions of a session, and closes dialogs that are answered elsewhere. */
export interface EditorQuestions {
  /** Follows a call. A new question opens a dialog; a question that is no longer open closes its dialog. */
  follow(call: ToolCall): void;
  /** Remarks about a call, such as an answer that came too late. */
  notesOn(toolCallId: string): readonly string[];
  /** Closes every dialog of the editor. The questions stay open in the session. */
  close(): void;
}

/** Options of {@link createEditorQuestions}. */
export interface EditorQuestionsOptions {
  readonly editor: Editor;
  readonly face: FacePort;
  readonly sessionId: string;
  readonly directory: string;
  readonly onFault: (reason: unknown) => void;
}

/** One question in the editor. It is kept until the editor has answered. */
interface Asked {
  readonly closing: AbortController;
  /** The newest state of the call. */
  call: ToolCall;
  notes: readonly string[];
  /** True if the editor has answered. */
  isAnswered: boolean;
}

/** Creates the questions of a session; none is asked yet. */
export function createEditorQuestions(options: EditorQuestionsOptions): EditorQuestions {
  const { editor, face, sessionId, directory, onFault } = options;
  const asked = new Map<string, Asked>();

  async function ask(question: Question, entry: Asked): Promise<void> {
    try {
      const request = encodeQuestion(sessionId, question, directory);
      const response = await editor.ask(request, entry.closing.signal);
      // The editor closed its dialog because we asked it to, so the person has not decided.
      if (entry.closing.signal.aborted && response.outcome.outcome !== "selected") return;
      const reply = await face.handle(decodeAnswer(question, response));
      if (reply.type !== "answered-before") return;
      const { answeredBy, selectedOptionId } = reply;
      await note(entry, `your answer came too late: ${answeredBy.name} chose ${selectedOptionId}`);
    } catch (reason) {
      if (entry.closing.signal.aborted) return;
      // The question stays open until another client answers it or somebody cancels the turn.
      await note(entry, "the editor could not ask; answer elsewhere, or cancel the turn");
      onFault(reason);
    } finally {
      entry.isAnswered = true;
      forgetEnded(entry);
    }
  }

  function forgetEnded(entry: Asked): void {
    const { toolCallId, status } = entry.call;
    const isOver = entry.isAnswered && isTerminalStatus(status);
    if (isOver && asked.get(toolCallId) === entry) asked.delete(toolCallId);
  }

  async function note(entry: Asked, text: string): Promise<void> {
    entry.notes = [...entry.notes, text];
    const call = encodeToolCall(entry.call, { directory, notes: entry.notes });
    await editor.show(sessionId, [{ sessionUpdate: "tool_call_update", ...call }]).catch(onFault);
  }

  return {
    follow(call) {
      const entry = asked.get(call.toolCallId);
      if (isWaiting(call)) {
        if (entry !== undefined) return;
        const fresh = { closing: new AbortController(), call, notes: [], isAnswered: false };
        asked.set(call.toolCallId, fresh);
        void ask(call, fresh);
        return;
      }
      if (entry === undefined) return;
      entry.call = call;
      entry.closing.abort();
      forgetEnded(entry);
    },
    notesOn: (toolCallId) => asked.get(toolCallId)?.notes ?? [],
    close() {
      for (const { closing } of asked.values()) closing.abort();
      asked.clear();
    },
  };
}
