import { connect, isQuestion, openQuestions, type TaskHandle } from "@dt/client";

/** Two people share a session: one prompts, both are asked, and the first answer wins. */
export async function sharedSession(
  url: string,
  workspacePath: string,
  print: (line: string) => void,
): Promise<void> {
  const ada = await connect(url, { clientName: "Ada" });
  const bob = await connect(url, { clientName: "Bob" });
  try {
    const prompt = "write shared.txt: ours then say done";
    const adas = await ada.startTask({ workspacePath, prompt });
    // Bob needs only the task's id to join. His view contains the earlier items, and events() yields the
    // later events.
    const bobs = await bob.openTask(adas.taskId);
    const [first, second] = await Promise.all([approveQuestions(adas), approveQuestions(bobs)]);
    const loser = first.accepted ? second : first;
    if (!loser.accepted) print(`${loser.answeredBy.name} was first: ${loser.selectedOptionId}`);
    for (const task of [adas, bobs]) print(transcriptOf(task));
  } finally {
    ada.close();
    bob.close();
  }
}

/** Approves each question of a task until the task ends; resolves with the result of the last answer. */
async function approveQuestions(task: TaskHandle) {
  let result: Awaited<ReturnType<TaskHandle["answer"]>> | undefined;
  // Questions from before this client joined are only in the view; events() does not yield them.
  for (const call of openQuestions(task.view())) result = await task.answer(call, "proceed_once");
  for await (const event of task.events()) {
    if (isQuestion(event)) result = await task.answer(event.toolCall, "proceed_once");
  }
  if (result === undefined) throw new Error("no question was asked");
  return result;
}

function transcriptOf(task: TaskHandle): string {
  const items = task.view().items.map(({ event }) => {
    if (event.kind === "TEXT_CONTENT") return event.text;
    if (event.kind === "TOOL_CALL_UPDATE")
      return `${event.toolCall.toolName} by ${event.answer?.origin?.name}`;
    return event.kind;
  });
  return items.join(", ");
}
