// "The guide" is the a2a-endpoint-guide, one of the five source documents (docs/documents.md).
import { expect, test } from "vitest";
import { isIdle, openLiveStage } from "./support/open-live-stage.js";
import { openWscat } from "./support/open-wscat.js";
import { readStream } from "./support/raw-rpc.js";
import { openWsClient } from "./ws-client.js";

test("wscat can run the example of the endpoint guide [CLI-05, CLI-08, CLI-19]", async () => {
  await using stage = await openLiveStage();
  const { taskId } = stage.live;
  using hand = openWscat(`ws://localhost:${stage.server.port}/ws`);
  await hand.shows("Connected (press CTRL+C to quit)");

  hand.type(
    '{"jsonrpc": "2.0", "method": "message/stream", "params": {"message": {"content": {"text": "say I will list the files for you. then run echo hello"}}}}',
  );
  const asked = await hand.frame((frame) => frame.status === "PENDING");
  hand.type(
    `{"jsonrpc":"2.0","method":"message/stream","params":{"message":{"content":{"data":{"kind":"TOOL_CALL_CONFIRMATION","tool_call_id":"${asked.tool_call_id}","selected_option_id":"proceed_once"}}}}}`,
  );
  await hand.frame((frame) => frame.status === "SUCCEEDED");
  await stage.type("say typed in the terminal");
  await hand.frame((frame) => frame.content?.text === "typed in the terminal");
  hand.type("hello?");
  const refused = await hand.frame((frame) => frame.error !== undefined);
  hand.ctrlC();
  await hand.exited;

  const frames = hand.frames();
  expect(frames).toContainEqual({
    kind: "TEXT_CONTENT",
    content: { text: "I will list the files for you." },
    taskId,
  });
  expect(frames.filter(({ tool_call_id }) => tool_call_id).map(({ status }) => status)).toEqual(
    expect.arrayContaining(["PENDING", "EXECUTING", "SUCCEEDED"]),
  );
  expect(asked.confirmation_request.details.execute_details.command).toBe("echo hello");
  expect(refused).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32700 } });
  expect(stage.faults).toEqual([]);
});

test("five kinds of clients can prompt and answer in one live session [CLI-05, CLI-10, CLI-13, CLI-16, CLI-19]", async () => {
  await using stage = await openLiveStage();
  const { taskId } = stage.live;
  using phone = await openWsClient(stage.wsUrl, {
    protocol: "",
    headers: { "X-Dt-Client": "phone" },
  });
  using ide = await openWsClient(`${stage.wsUrl}?X-Dt-Client=ide`);
  using hand = openWscat(`ws://localhost:${stage.server.port}/ws`);
  await hand.shows("Connected");
  const guide = (content: object) => ({
    jsonrpc: "2.0",
    method: "message/stream",
    params: { message: { content } },
  });
  const answer = (tool_call_id: string) => ({
    data: { kind: "TOOL_CALL_CONFIRMATION", tool_call_id, selected_option_id: "proceed_once" },
  });
  const post = async (content: object) =>
    await readStream(
      await fetch(`${stage.url}tasks/${taskId}/messages/stream`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Dt-Client": "script" },
        body: JSON.stringify({ message: { content } }),
      }),
    );
  const canonical = (id: number, parts: readonly object[]) =>
    ide.send({
      jsonrpc: "2.0",
      id,
      method: "SendMessage",
      params: {
        message: { role: "ROLE_USER", messageId: `ide-${id}`, taskId, parts },
        configuration: { returnImmediately: true },
      },
    });

  /**
   * The clients. Each sends a prompt, and the next client in this list answers the question; after the last
   * client comes the first. `local` is wscat.
   */
  const clients = {
    terminal: {
      prompt: (text: string) => stage.type(text),
      answer: (id: string) => stage.answer(id, "proceed_once"),
    },
    phone: {
      prompt: async (text: string) => phone.send(guide({ text })),
      answer: async (id: string) => phone.send(guide(answer(id))),
    },
    ide: {
      prompt: async (text: string) => canonical(1, [{ text }]),
      answer: async (id: string) => canonical(2, [{ data: answer(id).data }]),
    },
    script: {
      prompt: (text: string) => post({ text }),
      answer: (id: string) => post(answer(id)),
    },
    local: {
      prompt: async (text: string) => hand.type(JSON.stringify(guide({ text }))),
      answer: async (id: string) => hand.type(JSON.stringify(guide(answer(id)))),
    },
  };
  const names = Object.keys(clients) as (keyof typeof clients)[];
  let { cursor = "" } = await stage.live.view();
  for (const [index, name] of names.entries()) {
    const next = names[(index + 1) % names.length] ?? name;
    const prompting = clients[name].prompt(`write ${name}.txt: by ${name}`);
    await clients[next].answer(await stage.question(cursor));
    await prompting;
    cursor = (await stage.until(isIdle, cursor)).cursor ?? cursor;
  }

  const { items } = await stage.live.view();
  const prompted = items.flatMap(({ event }) =>
    event.kind === "USER_PROMPT" ? [event.origin.name] : [],
  );
  const answered = items.flatMap(({ event }) =>
    event.kind === "TOOL_CALL_UPDATE" && event.answer?.origin ? [event.answer.origin.name] : [],
  );
  expect(prompted).toEqual(names);
  expect(answered).toEqual([...names.slice(1), names[0]]);
  for (const name of names) expect(await stage.workspace.read(`${name}.txt`)).toBe(`by ${name}`);
  const last = (frame: { tool_call_id?: string; status?: string }) =>
    frame.status === "SUCCEEDED" && frame.tool_call_id !== undefined;
  await phone.until(() => phone.frames.filter(last).length === names.length);
  await hand.until(() => (hand.frames().filter(last).length === names.length ? true : undefined));
  const logged = (frames: readonly { live_content?: string; id?: unknown }[]) =>
    frames.filter((frame) => frame.live_content === undefined && !("id" in frame));
  expect(logged(hand.frames())).toEqual(logged(phone.frames));
  expect(stage.faults).toEqual([]);
});
