import {
  type AgentClient,
  isToolCall,
  type SessionEvent,
  type TaskHandle,
  type TaskView,
  type ToolCall,
} from "@dt/client";
import { expect, test } from "vitest";
import { openAgentServer, orderCall } from "../support/open-agent-server.js";

type Answer = string | { readonly reason: string } | { readonly newContent: string };
type CallUpdate = SessionEvent & { readonly kind: "TOOL_CALL_UPDATE" };
type Server = Awaited<ReturnType<typeof openAgentServer>>;

/** Answers every question of a task until its turn ends; returns the updates of its calls. */
async function answerAll(
  task: TaskHandle,
  answerOf: (update: CallUpdate) => Answer = () => "proceed_once",
): Promise<readonly CallUpdate[]> {
  const updates: CallUpdate[] = [];
  for await (const event of task.events()) {
    if (!isToolCall(event)) continue;
    updates.push(event);
    if (event.toolCall.confirmationRequest === undefined) continue;
    await task.answer(event.toolCall, answerOf(event));
  }
  return updates;
}

/** Opens a server whose agent can call the agent of another server. */
async function openCaller(called: Server) {
  const reviewer = { url: called.url, workspacePath: called.workspace.root };
  return await openAgentServer({ agents: { reviewer } });
}

async function start({ workspace, ...server }: Server, prompt: string): Promise<TaskHandle> {
  const client = await server.connect();
  return await client.startTask({ workspacePath: workspace.root, prompt });
}

const describeResult = ({ result }: ToolCall) =>
  result?.$case === "output" ? result.value.result?.value : result?.value.message;

/** Returns the views of all tasks of an agent, the newest first. */
async function tasksOf(client: AgentClient): Promise<readonly TaskView[]> {
  const tasks: TaskView[] = [];
  for await (const task of client.listTasks({ historyLength: 50 })) tasks.push(task);
  return tasks;
}

test("an answer with edited content reaches the called agent, which writes that content [SRV-24]", async () => {
  await using called = await openAgentServer();
  await using calling = await openCaller(called);
  const order = orderCall("reviewer", "write a.txt: from B\nsay done");

  const updates = await answerAll(await start(calling, order), ({ parentCallId }) =>
    parentCallId === undefined ? "proceed_once" : { newContent: "from the person" },
  );

  expect(await called.workspace.read("a.txt")).toBe("from the person");
  expect(updates.at(-1)?.toolCall).toMatchObject({ toolName: "call_agent", status: "SUCCEEDED" });
});

test("the question of a called agent is asked in the caller's session as a nested question [SRV-24]", async () => {
  await using called = await openAgentServer();
  await using calling = await openCaller(called);
  const order = orderCall("reviewer", "say hello\nwrite a.txt: from B\nsay done");

  const updates = await answerAll(await start(calling, order));

  const own = updates.find(({ toolCall }) => toolCall.toolName === "call_agent");
  const nested = updates.filter(({ parentCallId }) => parentCallId === own?.toolCall.toolCallId);
  expect(own?.toolCall.confirmationRequest?.options.map(({ id }) => id)).toContain(
    "proceed_always",
  );
  expect(nested.map(({ toolCall }) => [toolCall.toolName, toolCall.status])).toEqual([
    ["reviewer/write_file", "PENDING"],
    ["reviewer/write_file", "EXECUTING"],
    ["reviewer/write_file", "SUCCEEDED"],
  ]);
  expect(nested[0]?.toolCall.confirmationRequest?.options.map(({ id }) => id)).toEqual([
    "proceed_once",
    "cancel",
  ]);
  const last = updates.at(-1)?.toolCall;
  expect(last?.toolName).toBe("call_agent");
  expect(describeResult(last!)).toBe("hello\n\ndone");
  expect(await called.workspace.read("a.txt")).toBe("from B");
});

test("a refusal in the caller's session refuses the called agent's step, with the reason [SRV-24]", async () => {
  await using called = await openAgentServer();
  await using calling = await openCaller(called);
  const task = await start(calling, orderCall("reviewer", "write a.txt: from B"));

  await answerAll(task, ({ parentCallId }) =>
    parentCallId === undefined ? "proceed_once" : { reason: "not this file" },
  );

  const [view] = await tasksOf(await called.connect());
  const call = view?.items.flatMap(({ event }) =>
    event.kind === "TOOL_CALL_UPDATE" ? [event.toolCall.status, event.answer?.reason] : [],
  );
  expect(call).toEqual(["CANCELLED", "not this file"]);
});

test("a question that is answered at the called agent closes in the caller's session [SRV-24]", async () => {
  await using called = await openAgentServer();
  await using calling = await openCaller(called);
  const task = await start(calling, orderCall("reviewer", "write a.txt: from B\nsay done"));
  const statuses: string[] = [];

  for await (const event of task.events()) {
    if (!isToolCall(event)) continue;
    if (event.parentCallId !== undefined) statuses.push(event.toolCall.status);
    if (event.toolCall.confirmationRequest === undefined) continue;
    if (event.parentCallId === undefined) await task.answer(event.toolCall, "proceed_once");
    else {
      const theirs = await called.connect();
      const [listed] = await tasksOf(theirs);
      const joined = await theirs.openTask(listed!.taskId);
      await joined.answer(joined.view().openCalls[0]!, "proceed_once");
    }
  }

  expect(statuses).toEqual(["PENDING", "CANCELLED"]);
  expect(await called.workspace.read("a.txt")).toBe("from B");
});

test("cancelling the turn cancels the task of the called agent [SRV-24]", async () => {
  await using called = await openAgentServer();
  await using calling = await openCaller(called);
  const task = await start(calling, orderCall("reviewer", "write a.txt: from B"));
  const theirs = await called.connect();

  for await (const event of task.events()) {
    if (!isToolCall(event) || event.toolCall.confirmationRequest === undefined) continue;
    if (event.parentCallId === undefined) await task.answer(event.toolCall, "proceed_once");
    else await task.cancel();
  }

  const [view] = await tasksOf(theirs);
  expect(view?.state).toBe("canceled");
  expect(task.view().state).toBe("canceled");
});

test("agents that call each other in a circle stop at the limit with an error [SRV-24]", async () => {
  await using second = await openAgentServer();
  await using first = await openAgentServer({
    agents: { other: { url: second.url, workspacePath: second.workspace.root } },
  });
  const client = await first.connect();
  const refused = await client
    .startTask({ workspacePath: first.workspace.root, prompt: "say hi", callDepth: 5 })
    .catch((reason: unknown) => reason);
  const deep = await client.startTask({
    workspacePath: first.workspace.root,
    prompt: orderCall("other", "say hi"),
    callDepth: 4,
  });

  const updates = await answerAll(deep);

  expect(String(refused)).toContain("call_depth: expected at most 4");
  expect(describeResult(updates.at(-1)!.toolCall)).toContain("4 agents have called each other");
  expect(await tasksOf(await second.connect())).toEqual([]);
});

test("the call depth grows with each agent of a chain [SRV-24]", async () => {
  await using third = await openAgentServer();
  await using second = await openAgentServer({
    agents: { third: { url: third.url, workspacePath: third.workspace.root } },
  });
  await using first = await openAgentServer({
    agents: { second: { url: second.url, workspacePath: second.workspace.root } },
  });
  const client = await first.connect();
  const task = await client.startTask({
    workspacePath: first.workspace.root,
    prompt: orderCall("second", orderCall("third", "say deep")),
    callDepth: 3,
  });

  const updates = await answerAll(task);

  const results = updates.flatMap(({ toolCall }) => describeResult(toolCall) ?? []);
  expect(results.join("\n")).toContain("4 agents have called each other");
});

test("a call of an address without an agent fails with an error that names the address [SRV-24]", async () => {
  await using calling = await openAgentServer({ agents: { gone: { url: "http://127.0.0.1:9/" } } });
  const task = await start(calling, orderCall("gone", "say hi"));

  const updates = await answerAll(task);

  expect(describeResult(updates.at(-1)!.toolCall)).toContain(
    "the agent gone: no agent answers at http://127.0.0.1:9/",
  );
});
