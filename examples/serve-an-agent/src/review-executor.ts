import { Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor } from "@a2a-js/sdk/server";

/** A code reviewer, written for the official SDK. It also runs on the SDK's own server. */
export const reviewExecutor: AgentExecutor = {
  async execute({ taskId, contextId, task, userMessage }, bus) {
    const ids = { taskId, contextId };
    const say = (state: TaskState, text: string) => {
      const message = { role: "ROLE_AGENT", messageId: crypto.randomUUID(), parts: [{ text }] };
      bus.publish(
        AgentEvent.statusUpdate(
          TaskStatusUpdateEvent.fromJSON({ ...ids, status: { state, message } }),
        ),
      );
    };
    const give = (name: string, parts: readonly object[], append: boolean, lastChunk: boolean) => {
      const artifact = { artifactId: name, name, parts };
      bus.publish(
        AgentEvent.artifactUpdate(
          TaskArtifactUpdateEvent.fromJSON({ ...ids, artifact, append, lastChunk }),
        ),
      );
    };

    const status = { state: TaskState.TASK_STATE_SUBMITTED };
    bus.publish(AgentEvent.task(task ?? Task.fromJSON({ id: taskId, contextId, status })));
    const [part] = userMessage.parts;
    const asked = part?.content?.$case === "text" ? part.content.value : "";
    if (asked.includes("poem")) return say(TaskState.TASK_STATE_REJECTED, "I only review code.");
    if (asked.includes("private"))
      return say(TaskState.TASK_STATE_AUTH_REQUIRED, "Sign in to the code host.");
    if (asked === "review") return say(TaskState.TASK_STATE_INPUT_REQUIRED, "Which file?");

    say(TaskState.TASK_STATE_WORKING, `Reading ${asked}.`);
    give("review.md", [{ text: "# Review\n" }], false, false);
    give("review.md", [{ text: `${asked} is fine.` }], true, true);
    give("findings", [{ data: { file: asked, findings: [] } }], false, true);
    say(TaskState.TASK_STATE_COMPLETED, "Done.");
  },
  async cancelTask(taskId, bus) {
    const status = { state: TaskState.TASK_STATE_CANCELED };
    bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId, status })));
  },
};
