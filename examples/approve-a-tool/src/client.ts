import { connect } from "@dt/client";

/** Asks an agent to write a file, allows it, and prints what it says. */
export async function approveATool(
  url: string,
  workspacePath: string,
  print: (text: string) => void,
): Promise<void> {
  // region: snippet
  const agent = await connect(url, { clientName: "example" });
  const task = await agent.startTask({
    workspacePath,
    prompt: "write hello.txt: hello then say done",
  });
  for await (const event of task.events()) {
    if (event.kind === "TEXT_CONTENT") print(event.text);
    if (event.kind === "TOOL_CALL_UPDATE" && event.toolCall.confirmationRequest) {
      await task.answer(event.toolCall, "proceed_once");
    }
  }
  // endregion
  agent.close();
}
