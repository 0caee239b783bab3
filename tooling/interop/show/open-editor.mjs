import { spawn } from "node:child_process";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { importFrom } from "./import-from.mjs";

const DT = path.resolve(import.meta.dirname, "../../../apps/cli/dist/main.js");

/** Opens an editor: the client of the official SDK, with `dt acp --attach` as its agent. It prints what it gets. */
export async function openEditor({ url, home, print }) {
  const acp = await importFrom("tests", "@agentclientprotocol/sdk");
  const child = spawn(process.execPath, [DT, "acp", "--attach", url], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env.PATH, HOME: home },
  });
  const { methods } = acp;
  const connection = acp
    .client({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params }) => print(describe(params.update)))
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      print(`asks: ${params.toolCall.title ?? params.toolCall.toolCallId}`);
      // This editor never answers. The request is cancelled once somebody else has answered.
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      print("the question was closed, because it was answered elsewhere");
      return { outcome: { outcome: "cancelled" } };
    })
    .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  const { agent } = connection;
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  return {
    async open(cwd) {
      const session = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
      return session.sessionId;
    },
    async prompt(sessionId, text) {
      const prompt = [{ type: "text", text }];
      return (await agent.request(methods.agent.session.prompt, { sessionId, prompt })).stopReason;
    },
    close() {
      child.kill();
    },
  };
}

function describe(update) {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return `agent: ${update.content.text}`;
    case "user_message_chunk":
      return `prompt: ${update.content.text}`;
    case "tool_call":
    case "tool_call_update":
      return `tool call: ${[update.title, update.status].filter(Boolean).join(", ")}`;
    default:
      return undefined;
  }
}
