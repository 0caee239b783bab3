import type { AgentCallResult, Part, TaskView, ViewItem } from "@dt/schema";
import { turnOf } from "../events/turn-of.js";

/** Collects the text, the files and the artifacts that an agent gave in the turn that has ended. */
export function collectResult(view: TaskView): AgentCallResult {
  const turn = turnOf(view);
  const isFailed = turn.status === "failed" || turn.status === "canceled";
  const start = view.items.findLastIndex(({ event }) => event.kind === "USER_PROMPT");
  const said = view.items.slice(start + 1).flatMap(partsOf);
  return {
    taskId: view.taskId,
    state: isFailed ? turn.status : "completed",
    parts: said.length > 0 ? said : (view.statusParts ?? []),
    artifacts: view.artifacts ?? [],
    ...(isFailed && turn.error !== undefined && { error: turn.error }),
  };
}

function partsOf({ event }: ViewItem): readonly Part[] {
  if (event.kind === "UNKNOWN") return event.parts;
  if (event.kind !== "TEXT_CONTENT") return [];
  const { text, attachments = [] } = event;
  return text === "" ? attachments : [{ type: "text", text }, ...attachments];
}
