import type { SessionEvent, StateChange, TextContent } from "../../event/agent-event.js";
import type { Artifact, Part } from "../../event/part.js";
import {
  type ReplyProgress,
  replyIn,
  toFinalParts,
  toReplyParts,
} from "../../event/reply-progress.js";
import { isInterruptedState, isWaitingState } from "../../event/task-state.js";
import { openQuestions, type TaskView } from "../../event/task-view.js";
import type { A2aArtifactUpdate } from "../a2a/a2a.js";
import { encodePlainQuestions } from "../a2a/plain-question.js";

/*
 * Several frameworks only read artifacts. A plain client therefore gets the text of status messages
 * a second time: the agent's reply as chunks of the artifact `<task id>:answer`, and an open question
 * as the artifact `<task id>:question`. Clients that read status messages ignore these two ids. The
 * id of the task keeps them apart from the agent's own artifacts.
 */

type MirrorName = "answer" | "question";

/** Parts of a chunk that only ends an artifact. A chunk must have a part, and an empty text adds nothing. */
const NOTHING: readonly Part[] = [{ type: "text", text: "" }];

/** Returns the artifacts that repeat the reply and the open questions of a task. */
export function mirrorsIn(view: TaskView): readonly Artifact[] {
  const { parts: answer } = replyIn(view);
  const question = questionParts(view.state, openQuestions(view), view.statusParts);
  return [
    ...(answer.length > 0 ? [toMirror(view.taskId, "answer", answer)] : []),
    ...(question.length > 0 ? [toMirror(view.taskId, "question", question)] : []),
  ];
}

/**
 * Encodes the chunks that repeat an event. `progress` is the progress of the reply before the event. If it
 * is undefined, the stream has not seen the start of the reply, so no chunk can be appended.
 */
export function encodeMirrors(
  event: SessionEvent,
  progress: ReplyProgress | undefined,
): readonly A2aArtifactUpdate[] {
  const { taskId, contextId } = event;
  const update = (
    name: MirrorName,
    parts: readonly Part[],
    flags: { readonly append: boolean; readonly lastChunk: boolean },
  ): A2aArtifactUpdate => ({
    taskId,
    contextId,
    artifact: toMirror(taskId, name, parts),
    ...flags,
  });

  if (event.kind === "TEXT_CONTENT") {
    if (progress === undefined) return [];
    const parts = toReplyParts(event, progress);
    const flags = { append: progress !== "none", lastChunk: false };
    return parts.length === 0 ? [] : [update("answer", parts, flags)];
  }
  if (event.kind !== "STATE_CHANGE" || !isWaitingState(event.state)) return [];
  const isReplied = progress === "open" || progress === "paused";
  const rest = toFinalParts(event, isReplied);
  const end = rest.length > 0 ? rest : NOTHING;
  const question = questionParts(event.state, event.waiting, event.statusParts);
  const hasEnd = isReplied || (progress === "none" && rest.length > 0);
  return [
    ...(hasEnd ? [update("answer", end, { append: isReplied, lastChunk: true })] : []),
    ...(question.length > 0
      ? [update("question", question, { append: false, lastChunk: true })]
      : []),
  ];
}

/**
 * Encodes text that continues the reply directly. Returns the same as {@link encodeMirrors}, but in
 * less time.
 */
export function encodeTextChunk(
  event: Pick<SessionEvent & TextContent, "taskId" | "contextId" | "text">,
): A2aArtifactUpdate {
  const { taskId, contextId, text } = event;
  const artifact = toMirror(taskId, "answer", [{ type: "text", text }]);
  return { taskId, contextId, artifact, append: true, lastChunk: false };
}

function questionParts(
  state: SessionEvent["state"],
  waiting: StateChange["waiting"] = [],
  statusParts: readonly Part[] = [],
): readonly Part[] {
  if (!isInterruptedState(state)) return [];
  if (waiting.length === 0) return statusParts;
  return [{ type: "text", text: encodePlainQuestions(waiting) }, ...statusParts];
}

function toMirror(taskId: string, name: MirrorName, parts: readonly Part[]): Artifact {
  return { artifactId: `${taskId}:${name}`, name, parts };
}
