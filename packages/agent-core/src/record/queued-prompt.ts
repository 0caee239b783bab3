import { type QueuedPrompt, textOf } from "@dt/schema";
import type { Announcement } from "./recorder.js";
import type { AcceptedPrompt } from "./session-state.js";

/** Converts a waiting prompt to the form that subscribers see. */
export function toQueuedPrompt({ messageId, parts, origin }: AcceptedPrompt): QueuedPrompt {
  return { messageId, text: textOf(parts), origin };
}

/** Builds one event for each prompt that leaves the queue. Each event lists the prompts that remain. */
export function announceRemovals(
  queue: readonly AcceptedPrompt[],
  leaving: readonly AcceptedPrompt[],
): readonly Announcement[] {
  return leaving.map(({ turn }, index) => {
    const left = leaving.slice(0, index + 1);
    const rest = queue.filter((prompt) => !left.includes(prompt));
    return { kind: "QUEUE", prompts: rest.map(toQueuedPrompt), turn };
  });
}
