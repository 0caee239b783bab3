import type { ToolCallStatus } from "@dt/schema";
import type { openStage } from "./open-stage.js";

/** Starts a task and waits for its end. Returns its state and the last status of each call. */
export async function promptOnce(
  { connect, workspace }: Pick<Awaited<ReturnType<typeof openStage>>, "connect" | "workspace">,
  prompt: string,
): Promise<{ readonly state: string; readonly calls: readonly ToolCallStatus[] }> {
  const client = await connect();
  const task = await client.startTask({ workspacePath: workspace.root, prompt });
  for await (const _ of task.events()) {
    // The loop only waits for the end of the turn.
  }
  const { state, items } = task.view();
  const calls = items.flatMap(({ event }) =>
    event.kind === "TOOL_CALL_UPDATE" ? [event.toolCall.status] : [],
  );
  return { state, calls };
}
