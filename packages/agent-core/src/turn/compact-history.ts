import type { HistoryItem } from "../model/history.js";
import type { TurnScope } from "./turn-scope.js";

/** How full the model's context may be before the conversation is compacted. */
const FULL = 0.8;

const instruction = [
  "Summarise the conversation so far for yourself, so that you can go on without it.",
  "Keep what the user wants, what was decided and why, which files were read and changed and how,",
  "what was refused, and what is still to do. Write nothing else.",
].join(" ");

/** Compacts the conversation when the next request might not fit into the model's context. */
export async function compactWhenFull(scope: TurnScope): Promise<void> {
  const { contextTokens } = scope.model;
  if (contextTokens === undefined) return;
  if (scope.recorder.state.contextTokens < contextTokens * FULL) return;
  await compactHistory(scope);
}

/**
 * Replaces what came before the last prompt by the model's own summary, and says so. Resolves with
 * false where there is nothing before the last prompt, or the model had nothing to say about it.
 */
export async function compactHistory(scope: TurnScope): Promise<boolean> {
  const { recorder, signal } = scope;
  const { history } = recorder.state;
  const start = history.findLastIndex((item) => item.role === "user");
  const [earlier, latest] = [history.slice(0, start), history.slice(start)];
  if (earlier.length === 0) return false;
  const summary = await summarise(earlier, scope);
  if (signal.aborted || summary === "") return false;
  const heard: HistoryItem[] = [
    userSays(`This is a summary of our conversation so far:\n${summary}`),
    { role: "model", parts: [{ type: "text", text: "I will go on from there." }] },
  ];
  await recorder.commit({
    journal: [{ type: "compacted", history: [...heard, ...latest] }],
    events: [
      {
        kind: "CONSOLE_LOG",
        log: {
          type: "info",
          content: `the conversation was compacted: ${earlier.length} earlier items became a summary`,
        },
      },
    ],
  });
  return true;
}

async function summarise(history: readonly HistoryItem[], scope: TurnScope): Promise<string> {
  const request = {
    history: [...history, userSays(instruction)],
    tools: [],
    signal: scope.signal,
    purpose: "summary" as const,
  };
  let summary = "";
  for await (const part of scope.model.stream(request)) {
    if (part.type === "text") summary += part.text;
  }
  return summary.trim();
}

function userSays(text: string): HistoryItem {
  return { role: "user", parts: [{ type: "text", text }] };
}
