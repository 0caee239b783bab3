import { textOf } from "@dt/schema";
import type { HistoryItem } from "../model/history.js";
import { inSpan } from "../tracing/in-span.js";
import { modelSpan } from "../tracing/model-span.js";
import { abandonAfterAbort } from "./abandon-after-abort.js";
import type { TurnScope } from "./turn-scope.js";

/** Share of the model's context at which the conversation is compacted. */
const COMPACTED_SHARE = 0.8;

const INSTRUCTION = [
  "Summarise the conversation so far for yourself, so that you can go on without it.",
  "Keep what the user wants, what was decided and why, which files were read and changed and how,",
  "what was refused, and what is still to do. Write nothing else.",
].join(" ");

/** Compacts the conversation if the next request might not fit into the model's context. */
export async function compactWhenFull(scope: TurnScope): Promise<void> {
  const { contextTokens } = scope.model;
  if (contextTokens === undefined) return;
  if (scope.recorder.state.contextTokens < contextTokens * COMPACTED_SHARE) return;
  await compactHistory(scope);
}

/** Number of recent items that are kept unchanged. */
const KEPT_ITEMS = 6;
/** Minimum number of earlier items that are replaced with a summary. A previous summary is not counted. */
const MIN_EARLIER_ITEMS = 6;

/**
 * Replaces all items except the recent ones with a summary that the model writes. The last prompt is
 * always kept unchanged. Resolves with false if there is too little to summarise, the turn is aborted, or the
 * summary is empty.
 */
export async function compactHistory(
  scope: TurnScope,
  options = { minItems: MIN_EARLIER_ITEMS },
): Promise<boolean> {
  const { recorder, signal } = scope;
  const { history } = recorder.state;
  const { earlier, prompt, latest } = splitHistory(history);
  const isSummarised = earlier[0] !== undefined && promptTextOf(earlier[0]).startsWith(HEADING);
  if (earlier.length - (isSummarised ? 2 : 0) < options.minItems) return false;
  const summary = await inSpan(modelSpan(scope.model.name), scope.span, () =>
    abandonAfterAbort(summarise(earlier, scope), signal),
  );
  if (signal.aborted || summary === "") return false;
  const summaryItems: HistoryItem[] = [
    toUserItem(`${HEADING}\n${summary}`),
    { role: "model", parts: [{ type: "text", text: "I will go on from there." }] },
  ];
  await recorder.commit({
    journal: [{ type: "compacted", history: [...summaryItems, ...prompt, ...latest] }],
    events: [
      {
        kind: "CONSOLE_LOG",
        log: {
          type: "info",
          content: `the conversation was compacted; ${earlier.length} earlier items became a summary`,
        },
      },
    ],
  });
  return true;
}

const HEADING = "This is a summary of our conversation so far:";

/**
 * Splits the history. The summary replaces `earlier`, and `latest` stays unchanged. If the last prompt
 * is part of `earlier`, `prompt` contains it, so that it can be kept too.
 */
function splitHistory(history: readonly HistoryItem[]) {
  const lastPrompt = history.findLastIndex((item) => item.role === "user");
  let start = Math.max(0, history.length - KEPT_ITEMS);
  // Tool results belong to the item before them, so the kept items must not start with tool results.
  while (history[start]?.role === "tool") start -= 1;
  // If the last turn is short, the kept items start with its prompt.
  start = Math.max(start, lastPrompt);
  const prompt = history[lastPrompt];
  return {
    earlier: history.slice(0, start),
    prompt: prompt === undefined || lastPrompt === start ? [] : [prompt],
    latest: history.slice(start),
  };
}

function promptTextOf(item: HistoryItem): string {
  return item.role === "user" ? textOf(item.parts) : "";
}

async function summarise(history: readonly HistoryItem[], scope: TurnScope): Promise<string> {
  const request = {
    history: [...history, toUserItem(INSTRUCTION)],
    tools: [],
    signal: scope.signal,
    purpose: "summary" as const,
  };
  let summary = "";
  for await (const part of scope.model.stream(request)) {
    if (part.type === "text") summary += part.text;
    // Notices say, for example, that a request is being retried, and the person must see them.
    if (part.type === "notice") {
      const log = { type: "warn", content: part.text };
      await scope.recorder.commit({ events: [{ kind: "CONSOLE_LOG", log }] });
    }
  }
  return summary.trim();
}

function toUserItem(text: string): HistoryItem {
  return { role: "user", parts: [{ type: "text", text }] };
}
