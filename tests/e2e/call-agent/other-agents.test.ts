import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { isToolCall, type ToolCall } from "@dt/client";
import { geminiScript } from "@dt/client/testing";
import { expect, test } from "vitest";
import { openAgentServer, orderCall } from "../support/open-agent-server.js";
import { openGeminiStage } from "../support/open-gemini-stage.js";
import { openPlainAgent } from "../support/open-plain-agent.js";

type Answer = string | { readonly reason: string };

/** Calls an agent by its settings; returns the result, and the nested questions. */
async function call(
  settings: object,
  prompt: string,
  {
    answer = "proceed_once",
    environment = {},
  }: { readonly answer?: Answer; readonly environment?: Readonly<Record<string, string>> } = {},
) {
  await using calling = await openAgentServer({ agents: { other: settings }, environment });
  const client = await calling.connect();
  const { root: workspacePath } = calling.workspace;
  const task = await client.startTask({ workspacePath, prompt: orderCall("other", prompt) });
  const questions: ToolCall[] = [];
  let last: ToolCall | undefined;
  for await (const event of task.events()) {
    if (!isToolCall(event)) continue;
    const isNested = event.parentCallId !== undefined;
    if (!isNested) last = event.toolCall;
    if (event.toolCall.confirmationRequest === undefined) continue;
    if (isNested) questions.push(event.toolCall);
    await task.answer(event.toolCall, isNested ? answer : "proceed_once");
  }
  const { result } = last ?? {};
  const text = result?.$case === "output" ? result.value.result?.value : result?.value.message;
  return { text: String(text), status: last?.status, questions };
}

for (const version of ["1.0", "0.3"] as const) {
  for (const streaming of [true, false])
    test(`a plain agent of A2A ${version} that ${streaming ? "streams" : "does not stream"} gives its text and artifacts [SRV-24]`, async () => {
      await using plain = await openPlainAgent({ version, streaming });

      const { text } = await call({ url: plain.url }, "the code");

      expect(text).toContain("all done");
      expect(text).toContain("[artifact report]\nreport on the code");
      expect(plain.received.map((message) => message.text)).toEqual(["the code"]);
    });

  test(`a plain agent of A2A ${version} may reply with a message instead of a task [SRV-24]`, async () => {
    await using plain = await openPlainAgent({ version });

    expect(await call({ url: plain.url }, "message")).toMatchObject({ text: "a direct reply" });
  });

  test(`a plain agent of A2A ${version} asks in the caller's session and gets the words of the answer [SRV-24]`, async () => {
    await using plain = await openPlainAgent({ version });

    const { text, questions } = await call({ url: plain.url }, "ask", {
      answer: { reason: "the main branch" },
    });

    expect(questions.map(({ toolName, description }) => [toolName, description])).toEqual([
      ["other/question", "other asks: Which branch?"],
    ]);
    expect(plain.received.map((message) => message.text)).toEqual(["ask", "the main branch"]);
    expect(text).toContain("report on the main branch");
  });
}

test("gemini-cli's server can be called, and its question is asked in the caller's session [SRV-24]", async () => {
  const { call: callTools, runShell, say } = geminiScript;
  const turn = [say("looking"), callTools(runShell("ls", ["a.txt"])), say("found a.txt")];
  await using gemini = await openGeminiStage({ turns: [turn] });

  const { text, questions } = await call({ url: gemini.url }, "review this");

  expect(questions.map(({ toolName }) => toolName)).toEqual(["other/run_shell_command"]);
  expect(text).toBe("looking\n\nfound a.txt");
});

test("the token comes from a variable or a file and reaches the agent [SRV-24]", async () => {
  await using plain = await openPlainAgent({ version: "1.0" });
  await using workspace = await openTempWorkspace();
  const tokenFile = path.join(workspace.root, "token");
  await writeFile(tokenFile, "from-a-file\n");
  const environment = { REVIEW_TOKEN: "from-a-variable" };

  await call({ url: plain.url, token: `\${REVIEW_TOKEN}` }, "x", { environment });
  await call({ url: plain.url, tokenFile }, "x");

  expect(plain.received.map(({ authorization }) => authorization)).toEqual([
    "Bearer from-a-variable",
    "Bearer from-a-file",
  ]);
});

/** Serves one listener on a port of its own. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

test("a redirect to another host is refused, and that host gets no request [SRV-24]", async () => {
  const seen: string[] = [];
  await using other = await serve((request, response) => {
    seen.push(String(request.headers.authorization));
    response.end("{}");
  });
  await using agent = await serve((_, response) => {
    response.writeHead(307, { Location: other.url }).end();
  });

  const { text } = await call({ url: agent.url, token: "s3cret-token" }, "x");

  expect(text).toContain("is another host than");
  expect(text).not.toContain("s3cret");
  expect(seen).toEqual([]);
});

test("a token that the agent repeats is removed from the error [SRV-24]", async () => {
  await using agent = await serve((request, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify({
        name: request.headers.authorization,
        capabilities: {},
        protocolVersion: "9",
      }),
    );
  });

  const { text, status } = await call({ url: agent.url, token: "s3cret-token" }, "x");

  expect(status).toBe("FAILED");
  expect(text).not.toContain("s3cret");
});

test("an empty token fails the call before any request [SRV-24]", async () => {
  const seen: string[] = [];
  await using agent = await serve((request, response) => {
    seen.push(String(request.url));
    response.end("{}");
  });

  const { text } = await call({ url: agent.url, token: `\${NOT_SET}` }, "x");

  expect(text).toBe("agents.other.token is empty; set it, or leave the key out");
  expect(seen).toEqual([]);
});
