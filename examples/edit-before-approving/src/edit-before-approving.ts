import { connect, fileDiffOf, isQuestion, turnOf } from "@dt/client";

/** Lets the person edit proposed content; resolves with the content to write. */
export type Editor = (proposed: string, fileName: string) => Promise<string>;

/**
 * Prompts an agent, lets the person edit each file before it is written, and refuses every other tool call;
 * resolves with the status of the turn.
 */
export async function editBeforeApproving(
  url: string,
  task: { readonly workspacePath: string; readonly prompt: string },
  edit: Editor,
): Promise<string> {
  const agent = await connect(url, { clientName: "editor" });
  try {
    // region: snippet
    const handle = await agent.startTask(task);
    for await (const event of handle.events()) {
      if (!isQuestion(event)) continue;
      const diff = fileDiffOf(event.toolCall);
      if (diff === undefined) await handle.answer(event.toolCall, "cancel");
      else {
        const newContent = await edit(diff.newContent, diff.fileName);
        await handle.answer(event.toolCall, { newContent });
      }
    }
    // endregion
    return turnOf(handle.view()).status;
  } finally {
    agent.close();
  }
}
