import { connect, isQuestion, isText } from "@dt/client";

/** Prompts an agent to write a file, approves the edit, and prints the agent's text. */
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
    if (isText(event)) print(event.text);
    if (isQuestion(event)) await task.answer(event.toolCall, "proceed_once");
  }
  // endregion
  agent.close();
}
