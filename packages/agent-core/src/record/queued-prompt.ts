import { type QueuedPrompt, textOf } from "@dt/schema";
import type { Announcement } from "./recorder.js";
import type { TakenPrompt } from "./session-state.js";

/** A waiting prompt as subscribers see it. */
export function toQueuedPrompt({ messageId, parts, origin }: TakenPrompt): QueuedPrompt {
  return { messageId, text: textOf(parts), origin };
}

/** Announces the prompts that leave the queue, one event for each. */
export function announceRemovals(
  queue: readonly TakenPrompt[],
  leaving: readonly TakenPrompt[],
): readonly Announcement[] {
  return leaving.map(({ turn }, index) => {
    const left = leaving.slice(0, index + 1);
    const rest = queue.filter((prompt) => !left.includes(prompt));
    return { kind: "QUEUE", prompts: rest.map(toQueuedPrompt), turn };
  });
}
