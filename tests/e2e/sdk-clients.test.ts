import { randomUUID } from "node:crypto";
import { CancelTaskRequest, SendMessageRequest, SubscribeToTaskRequest } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { A2AClient } from "@a2a-js/sdk-0.3/client";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { createGrpcFactory } from "./grpc/grpc-client.js";
import { openStage } from "./support/open-stage.js";

// Every test runs with the official clients of both A2A versions. `OfficialClient` wraps their APIs.
// It has only the calls that the tests need.

/** A summary of a status update or a task. */
interface Seen {
  readonly kind: string;
  readonly state: string;
  readonly content: string | undefined;
  readonly taskId: string;
  readonly contextId: string;
  readonly questionId: string | undefined;
}

interface OfficialClient {
  send(message: {
    text?: string;
    data?: object;
    taskId?: string;
    contextId?: string;
  }): AsyncGenerator<Seen>;
  cancel(taskId: string): Promise<string>;
  resubscribe(taskId: string): AsyncGenerator<Seen>;
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes of two protocol versions.
function summarise(event: any): Seen {
  const value = event.payload?.value ?? event;
  const [part] = value.status.message?.parts ?? [];
  const content = part?.content?.value ?? part?.data ?? part?.text;
  const isCall = typeof content === "object" && content !== null;
  return {
    kind: value.metadata?.[DEVELOPMENT_TOOL_URI]?.kind ?? "TASK",
    state: String(value.status.state),
    content: isCall ? `${content.tool_name} ${content.status}` : content,
    taskId: value.taskId ?? value.id,
    contextId: value.contextId,
    questionId: isCall && content.confirmation_request ? content.tool_call_id : undefined,
  };
}

async function openClient10(
  url: string,
  workspacePath: string,
  factory = new ClientFactory(),
): Promise<OfficialClient> {
  const client = await factory.createFromUrl(url);
  const service = { serviceParameters: { "A2A-Extensions": DEVELOPMENT_TOOL_URI } };
  return {
    async *send({ text, data, taskId = "", contextId = "" }) {
      const part = text === undefined ? { data } : { text };
      const metadata = taskId
        ? undefined
        : { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspacePath } };
      const message = {
        messageId: randomUUID(),
        role: "ROLE_USER",
        parts: [part],
        metadata,
        taskId,
        contextId,
        extensions: [DEVELOPMENT_TOOL_URI],
      };
      for await (const event of client.sendMessageStream(SendMessageRequest.fromJSON({ message })))
        yield summarise(event);
    },
    async cancel(id) {
      const task = await client.cancelTask(CancelTaskRequest.fromJSON({ id }), service);
      return String(task.status?.state);
    },
    async *resubscribe(id) {
      const request = SubscribeToTaskRequest.fromJSON({ id });
      for await (const event of client.resubscribeTask(request, service)) yield summarise(event);
    },
  };
}

async function openClient03(url: string, workspacePath: string): Promise<OfficialClient> {
  const client = await A2AClient.fromCardUrl(`${url}.well-known/agent-card.json`, {
    // The client cannot set the extensions header on calls without a message, so `fetchImpl` sets the
    // header.
    fetchImpl: (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...init?.headers, "X-A2A-Extensions": DEVELOPMENT_TOOL_URI },
      }),
  });
  return {
    async *send({ text, data, taskId, contextId }) {
      const part = text === undefined ? { kind: "data", data } : { kind: "text", text };
      const metadata = taskId
        ? undefined
        : { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspacePath } };
      const message = {
        kind: "message",
        messageId: randomUUID(),
        role: "user",
        parts: [part],
        metadata,
        taskId,
        contextId,
      };
      for await (const event of client.sendMessageStream({ message } as never))
        yield summarise(event);
    },
    async cancel(id) {
      const response = (await client.cancelTask({ id })) as {
        result?: { status: { state: string } };
      };
      return String(response.result?.status.state);
    },
    async *resubscribe(id) {
      for await (const event of client.resubscribeTask({ id })) yield summarise(event);
    },
  };
}

const clients = [
  { name: "1.3.0", open: openClient10, states: { canceled: "5" } },
  {
    name: "1.3.0 over gRPC",
    open: (url: string, workspacePath: string) =>
      openClient10(url, workspacePath, createGrpcFactory()),
    states: { canceled: "5" },
  },
  { name: "0.3.11", open: openClient03, states: { canceled: "canceled" } },
] as const;

async function collect(events: AsyncIterable<Seen>): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

for (const { name, open, states } of clients) {
  const ask = async (client: OfficialClient, text: string) => {
    const events = await collect(client.send({ text }));
    const question = events.find((event) => event.questionId !== undefined);
    return { taskId: question!.taskId, contextId: question!.contextId, id: question!.questionId! };
  };

  test(`the official client ${name} receives the text of a turn`, async () => {
    await using stage = await openStage({ server: { grpcPort: 0 } });
    const client = await open(stage.url, stage.workspace.root);

    const events = await collect(client.send({ text: "say one then say two" }));

    expect(events.map(({ content }) => content).filter(Boolean)).toEqual(["one", "two"]);
  });

  test(`the official client ${name} can approve, refuse and edit a file write [RFC-19, RFC-20, RFC-21]`, async () => {
    await using stage = await openStage({ server: { grpcPort: 0 } });
    const client = await open(stage.url, stage.workspace.root);
    const answer = async (file: string, fields: object) => {
      const { id, ...target } = await ask(client, `write ${file}: proposed then say done`);
      const data = { tool_call_id: id, ...fields };
      return (await collect(client.send({ ...target, data }))).map(({ content }) => content);
    };

    const approved = await answer("approved.txt", { selected_option_id: "proceed_once" });
    const refused = await answer("refused.txt", { selected_option_id: "cancel" });
    const edited = await answer("edited.txt", {
      selected_option_id: "proceed_once",
      file_details: { new_content: "mine" },
    });

    expect(approved).toContain("write_file SUCCEEDED");
    expect(refused).toContain("write_file CANCELLED");
    expect(edited).toContain("write_file SUCCEEDED");
    expect(await stage.workspace.read("approved.txt")).toBe("proposed");
    await expect(stage.workspace.read("refused.txt")).rejects.toThrow("ENOENT");
    expect(await stage.workspace.read("edited.txt")).toBe("mine");
  });

  test(`the official client ${name} can cancel a turn at a question and during work`, async () => {
    await using stage = await openStage({ server: { grpcPort: 0 } });
    const client = await open(stage.url, stage.workspace.root);

    const { taskId } = await ask(client, "write a.txt: x");
    const waiting = await client.cancel(taskId);
    let working = "";
    for await (const event of client.send({ text: "say started then wait 60000" })) {
      if (event.content === "started") working = await client.cancel(event.taskId);
    }

    expect([waiting, working]).toEqual([states.canceled, states.canceled]);
    await expect(stage.workspace.read("a.txt")).rejects.toThrow("ENOENT");
  });

  test(`a subscriber with the official client ${name} gets the same events as the sender [RFC-17]`, async () => {
    await using stage = await openStage({ server: { grpcPort: 0 } });
    const client = await open(stage.url, stage.workspace.root);
    const { id, taskId, contextId } = await ask(client, "write a.txt: x then say done");
    const following = client.resubscribe(taskId);
    const snapshot = await following.next();

    const data = { tool_call_id: id, selected_option_id: "proceed_once" };
    const driven = await collect(client.send({ taskId, contextId, data }));
    const followed = await collect(following);

    expect(snapshot.value?.content).toBe("write_file PENDING");
    const updates = (events: readonly Seen[]) => events.filter(({ kind }) => kind !== "TASK");
    expect(updates(followed)).toEqual(updates(driven));
    expect(followed.at(-1)?.kind).toBe("STATE_CHANGE");
  });
}
