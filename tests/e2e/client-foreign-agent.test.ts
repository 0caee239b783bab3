import {
  connect,
  openQuestions,
  type PushConfig,
  type SessionEvent,
  type TaskView,
} from "@dt/client";
import { expect, test } from "vitest";
import { openSdkAgent } from "./support/sdk-agent.js";

/** Returns the text of an event, the status of its tool call, its new state, or else its kind. */
function brief(event: SessionEvent): string {
  if (event.kind === "TEXT_CONTENT") return event.text;
  if (event.kind === "TOOL_CALL_UPDATE") return event.toolCall.status;
  return event.kind === "STATE_CHANGE" ? event.state : event.kind;
}

const VERSIONS = ["0.3", "1.0"] as const;

test.each(VERSIONS)(
  "the client runs a turn of an official SDK agent and answers its question, over A2A %s [RFC-19]",
  async (version) => {
    const agent = openSdkAgent(version);
    const client = await connect(agent.url, { fetch: agent.fetch });
    const task = await client.startTask({ workspacePath: "/work", prompt: "hi" });
    const seen: string[] = [];

    for await (const event of task.events()) {
      seen.push(brief(event));
      if (event.kind !== "STATE_CHANGE" || event.waiting?.[0] === undefined) continue;
      expect(await task.answer(event.waiting[0], "proceed_once")).toEqual({ accepted: true });
    }

    expect(client.version).toBe(version);
    expect(seen).toEqual([
      "working",
      "may ",
      "I?",
      "PENDING",
      "input-required",
      "EXECUTING",
      "SUCCEEDED",
      "done",
      "completed",
    ]);
    expect(task.view().items.map(({ event }) => event.kind)).toEqual([
      "USER_PROMPT",
      "TEXT_CONTENT",
      "TOOL_CALL_UPDATE",
      "TEXT_CONTENT",
    ]);
    const joined = await client.openTask(task.taskId);
    expect(joined.view().state).toBe("completed");
    client.close();
  },
);

test.each(VERSIONS)(
  "a second client can open an SDK agent's task and answer its question, over A2A %s",
  async (version) => {
    const agent = openSdkAgent(version);
    const [first, second, third] = await Promise.all(
      ["a", "b", "c"].map((clientName) => connect(agent.url, { fetch: agent.fetch, clientName })),
    );
    const task = await first!.startTask({ workspacePath: "/work", prompt: "hi" });
    for await (const event of task.events()) if (event.state === "input-required") break;

    const joined = await second!.openTask(task.taskId);
    const before = joined.view();
    const [question] = openQuestions(before);
    const answered = joined.answer(question!, "proceed_once");
    const seen: string[] = [];
    for await (const event of joined.events()) seen.push(brief(event));
    const late = (await third!.openTask(task.taskId)).view();
    const own: string[] = [];
    for await (const event of task.events()) own.push(brief(event));

    const kindsOf = (view: TaskView) => view.items.map(({ event }) => event.kind);
    expect(kindsOf(before)).toEqual([
      "USER_PROMPT",
      "TEXT_CONTENT",
      "TEXT_CONTENT",
      "TOOL_CALL_UPDATE",
    ]);
    expect(await answered).toEqual({ accepted: true });
    expect(seen).toEqual(["EXECUTING", "SUCCEEDED", "done", "completed"]);
    expect(late.state).toBe("completed");
    expect(kindsOf(late)).toEqual([...kindsOf(before), "TEXT_CONTENT"]);
    // The first client left its loop at the question. Its next loop starts with the call's newest status.
    expect(own).toEqual(["SUCCEEDED", "done", "completed"]);
    for (const client of [first, second, third]) client?.close();
  },
);

test.each(VERSIONS)(
  "the client sets, gets, lists and deletes push configs of an SDK agent, over A2A %s",
  async (version) => {
    const agent = openSdkAgent(version);
    const client = await connect(agent.url, { fetch: agent.fetch });
    const task = await client.startTask({ workspacePath: "/work", prompt: "hi" });
    const config: PushConfig = {
      id: "phone",
      url: "https://receiver.test/hook",
      token: "secret",
      authentication: { scheme: "Bearer", credentials: "key" },
    };

    const kept = await task.push.set(config);
    const only = await task.push.get();
    const unnamed = await task.push.set({ url: "https://receiver.test/other" });
    const listed = await task.push.list();
    const found = await task.push.get("phone");
    const several = await task.push.get().catch((reason: unknown) => reason);
    await task.push.delete("phone");
    const left = await task.push.list();
    await task.push.delete(unnamed.id ?? "");
    const none = await task.push.get().catch((reason: unknown) => reason);

    expect(kept).toEqual(config);
    expect(found).toEqual(config);
    expect(only).toEqual(config);
    expect(unnamed.id).toBeTruthy();
    expect(several).toMatchObject({
      code: "invalid-message",
      message: `this task has 2 push configurations; pass one of the ids phone, ${unnamed.id}`,
    });
    expect(none).toMatchObject({
      code: "task-not-found",
      message: "this task has no push configuration",
    });
    expect(listed).toHaveLength(2);
    expect(left).toEqual([unnamed]);
    client.close();
  },
);
