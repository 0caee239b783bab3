// region: snippet
import { type AgentClient, filePart, type TaskHandle } from "@dt/client";

/** Starts a task with a screenshot beside the text of its prompt. */
export async function sendScreenshot(
  agent: AgentClient,
  workspacePath: string,
  png: Uint8Array,
): Promise<TaskHandle> {
  const screenshot = filePart(png, { name: "screen.png", mediaType: "image/png" });
  const prompt = [{ type: "text" as const, text: "Why is this button cut off?" }, screenshot];
  return await agent.startTask({ workspacePath, prompt });
}
// endregion
