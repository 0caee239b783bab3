import { randomUUID } from "node:crypto";
import { connect } from "@dt/client";
import type { Caller } from "@dt/schema";
import { buildQuestion, type FaceStage } from "@dt/schema/testing";
import { type LiveSession, openLiveSession, openMemoryStore } from "@dt/server";
import { createScriptedAgent } from "@dt/server/testing";
import { createAnswerGate } from "./local/answer-gate.js";
import { openLocalFace } from "./local/local-face.js";
import { openRemoteFace } from "./remote/remote-face.js";

const SETTINGS = { workspacePath: "/work", allowedTools: [], mcpServers: {} };
const COLLEAGUE: Caller = { user: "colleague", name: "colleague", role: "admin" };

const openAgent = createScriptedAgent(async (turn) => {
  if (turn.text === "ask") await turn.ask(buildQuestion());
  if (turn.text === "wait") {
    await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
  }
  await turn.say(`heard ${turn.text}`);
});

/** Opens a live session, with functions that act as a second client. */
async function openLive() {
  const store = openMemoryStore();
  const live = await openLiveSession({ store, openAgent, settings: SETTINGS });
  const close = async () => {
    await live.close();
    await store.close();
  };
  return { live, close, ...colleagueOf(live) };
}

function colleagueOf({ agent, taskId }: LiveSession): Omit<FaceStage, "face"> {
  return {
    async promptElsewhere(text) {
      const parts = [{ type: "text" as const, text }];
      await agent.prompt({ messageId: randomUUID(), taskId, parts }, COLLEAGUE);
    },
    async answerElsewhere(toolCallId, selectedOptionId) {
      const answers = [{ toolCallId, selectedOptionId, modifiedDetails: undefined }];
      await agent.answer({ answers }, COLLEAGUE);
    },
  };
}

/** Opens the face of a session in this process. */
export async function openLocalStage(): Promise<FaceStage & AsyncDisposable> {
  const { live, close, ...others } = await openLive();
  const gate = createAnswerGate();
  const face = await openLocalFace({ live, gate, status: ({ mode }) => ({ model: "fake", mode }) });
  return {
    ...others,
    face,
    async [Symbol.asyncDispose]() {
      await face.close();
      await close();
    },
  };
}

/** Opens the face of a session that is served over HTTP. */
export async function openRemoteStage(): Promise<FaceStage & AsyncDisposable> {
  const { live, close, ...others } = await openLive();
  const { url } = await live.serve({ port: 0 });
  const clientName = "attached";
  const client = await connect(url, { clientName });
  const handle = await client.openTask(live.taskId);
  const face = openRemoteFace({ client, handle, commands: [], own: { name: clientName }, url });
  return {
    ...others,
    face,
    async [Symbol.asyncDispose]() {
      await face.close();
      await close();
    },
  };
}
