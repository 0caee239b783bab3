// An agent of the Agent Client Protocol that follows orders: each line of a prompt is one order. It runs as
// a process and uses the official SDK. Some orders make it break the protocol.
import { writeFileSync } from "node:fs";
import process from "node:process";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

const [mode = ""] = process.argv.slice(2);
const { session, fs, terminal } = methods.client;
const output = Writable.toWeb(process.stdout);
const raw = (text) => process.stdout.write(text);
let calls = 0;
let turnUsage;
let isSignedIn = false;

/** The ways to sign in, each with the variable of its key. */
const KEYS = { "codex-api-key": "CODEX_API_KEY", "openai-api-key": "OPENAI_API_KEY" };
let cancelled = new AbortController();

const wait = () =>
  new Promise((resolve) => {
    cancelled.signal.addEventListener("abort", resolve);
    if (cancelled.signal.aborted) resolve();
  });

const OPTIONS = [
  { optionId: "forever", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

function describeCall(kind, target, content = "") {
  calls += 1;
  const call = { toolCallId: `tool-${calls}`, title: `${kind} ${target}`, kind, status: "pending" };
  if (kind === "execute") return { ...call, rawInput: { command: target } };
  const located = { ...call, locations: [{ path: target }] };
  if (kind !== "edit") return located;
  return { ...located, content: [{ type: "diff", path: target, oldText: null, newText: content }] };
}

/** Follows one order. Returns a stop reason to end the turn. */
async function follow(line, { client, sessionId }) {
  const [order, target = "", ...rest] = line.split(" ");
  const words = rest.join(" ");
  const update = (body) => client.notify(session.update, { sessionId, update: body });
  const say = (text) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  const finish = (call, status, text) =>
    update({
      sessionUpdate: "tool_call_update",
      toolCallId: call.toolCallId,
      status,
      ...(text !== undefined && {
        content: [{ type: "content", content: { type: "text", text } }],
      }),
    });
  const ask = async (call) => {
    const request = { sessionId, toolCall: call, options: OPTIONS };
    const { outcome } = await client.request(session.requestPermission, request);
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
  };
  const tryTo = async (work) => {
    try {
      await say(`${await work()};`);
    } catch (error) {
      await say(`error ${error.code}: ${error.message};`);
    }
  };
  switch (order) {
    case "say":
      return await say(line.slice(4));
    case "think":
      return await update({
        sessionUpdate: "agent_thought_chunk",
        content: { type: "text", text: line.slice(6) },
      });
    case "plan":
      return await update({
        sessionUpdate: "plan",
        entries: [{ content: target, priority: "high", status: "in_progress" }],
      });
    case "usage":
      return await update({
        sessionUpdate: "usage_update",
        used: Number(target || 1200),
        size: 200000,
        cost: { amount: Number(rest[0] ?? 0.25), currency: "USD" },
      });
    // Sets the usage of the whole turn, which the response to the prompt contains.
    case "tokens":
      turnUsage = { inputTokens: Number(target), outputTokens: Number(rest[0]) };
      return;
    case "mode":
      return await update({ sessionUpdate: "current_mode_update", currentModeId: target });
    // A call that runs without a question.
    case "run": {
      const call = describeCall(target, words);
      await update({ sessionUpdate: "tool_call", ...call, status: "in_progress" });
      return await finish(call, "completed", `${words} ran`);
    }
    // A call that asks for permission, and runs if it was allowed.
    case "ask": {
      const [path, ...content] = rest;
      const call = describeCall(target, target === "execute" ? words : path, content.join(" "));
      const answer = await ask(call);
      await say(`answered ${answer};`);
      if (answer === "yes") return await finish(call, "completed", "done");
      return await finish(call, "failed", "refused");
    }
    // A call that is reported as running first, then asks for permission, and ends.
    case "ask-late": {
      const call = describeCall("edit", target, words);
      await update({ sessionUpdate: "tool_call", ...call, status: "in_progress" });
      await say(`answered ${await ask({ toolCallId: call.toolCallId })};`);
      return await finish(call, "completed", "done");
    }
    case "ask-twice": {
      const call = describeCall("execute", target);
      const answers = await Promise.all([ask(call), ask(call)]);
      await say(`answered ${answers.join(" and ")};`);
      return await finish(call, "completed", "done");
    }
    // A call that continues although nobody has answered its question.
    case "ask-and-go": {
      const call = describeCall("execute", target);
      const asking = ask(call);
      await finish(call, "in_progress");
      await finish(call, "completed", "done anyway");
      return await say(`answered ${await asking};`);
    }
    // A call that runs, asks inside, and writes what was allowed.
    case "edit-inside": {
      const call = describeCall("edit", target, words);
      await update({ sessionUpdate: "tool_call", ...call, status: "in_progress" });
      const answer = await ask(call);
      if (answer === "yes") {
        const file = { sessionId, path: target, content: words };
        await tryTo(async () => {
          await client.request(fs.writeTextFile, file);
          return "written";
        });
      }
      return await finish(call, answer === "yes" ? "completed" : "failed", answer);
    }
    // Asks, and writes the file through the client.
    case "edit": {
      const call = describeCall("edit", target, words);
      const answer = await ask(call);
      if (answer !== "yes") return await say(`answered ${answer};`);
      await tryTo(async () => {
        await client.request(fs.writeTextFile, { sessionId, path: target, content: words });
        return "written";
      });
      return await finish(call, "completed");
    }
    case "swap": {
      // Asks about one text, then changes the diff of the call and writes the other text.
      const call = describeCall("edit", target, "harmless");
      const answer = await ask(call);
      if (answer !== "yes") return await say(`answered ${answer};`);
      const content = [{ type: "diff", path: target, oldText: null, newText: words }];
      await update({ sessionUpdate: "tool_call_update", toolCallId: call.toolCallId, content });
      await tryTo(async () => {
        await client.request(fs.writeTextFile, { sessionId, path: target, content: words });
        return "written";
      });
      return await finish(call, "completed");
    }
    case "elsewhere": {
      // Asks about a command, then runs it in another directory.
      const call = describeCall("execute", words);
      const answer = await ask(call);
      if (answer !== "yes") return await say(`answered ${answer};`);
      const request = { sessionId, command: words, args: [], cwd: target };
      await tryTo(async () => {
        await client.request(terminal.create, request);
        return "started";
      });
      return await finish(call, "completed");
    }
    case "write":
      return await tryTo(async () => {
        await client.request(fs.writeTextFile, { sessionId, path: target, content: words });
        return "written";
      });
    case "read":
      return await tryTo(
        async () => (await client.request(fs.readTextFile, { sessionId, path: target })).content,
      );
    case "terminal":
      return await tryTo(async () => {
        const command = { sessionId, command: target, args: rest };
        const { terminalId } = await client.request(terminal.create, command);
        const end = await client.request(terminal.waitForExit, { sessionId, terminalId });
        const { output: text } = await client.request(terminal.output, { sessionId, terminalId });
        await client.request(terminal.release, { sessionId, terminalId });
        return `${text.trim()} (${end.exitCode})`;
      });
    case "child": {
      const { spawn } = await import("node:child_process");
      const child = spawn("sleep", ["1000"], { stdio: "ignore" });
      return await say(`pid ${child.pid}`);
    }
    // The process exits while its question is open.
    case "ask-and-die": {
      const asking = ask(describeCall("execute", "dying"));
      setTimeout(() => void follow("die", { client, sessionId }), 300);
      return await asking;
    }
    case "die":
      process.stderr.write(`fatal: out of luck, key ${process.env.AGENT_KEY}\n`);
      return process.exit(3);
    case "hang":
      return await new Promise(() => {});
    case "wait":
      return await wait();
    case "flood":
      for (let count = 0; count < Number(target); count += 1) await say("x");
      return;
    case "long-line":
      raw(
        `${JSON.stringify({ jsonrpc: "2.0", method: "x", params: "y".repeat(Number(target)) })}\n`,
      );
      return;
    case "bad-frames":
      raw("this is not JSON\n[1,2]\n42\n");
      raw('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":1}}\n');
      raw('{"jsonrpc":"2.0","method":"session/update"}\n');
      await update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: 7 } });
      return await update({ sessionUpdate: "from_the_future", content: {} });
    case "unknown-method":
      return await tryTo(() => client.request("x/unknown", {}));
    case "open-calls":
      for (let count = 0; count < Number(target); count += 1) {
        await update({ sessionUpdate: "tool_call", ...describeCall("other", `${count}`) });
      }
      return;
    // Sends an update and questions after the end of the turn, and writes a file when all of them are
    // answered.
    case "late":
      setTimeout(async () => {
        await say("too late");
        await update({ sessionUpdate: "tool_call", ...describeCall("execute", "late") });
        writeFileSync("late.txt", await ask(describeCall("execute", "late")));
      }, 50);
      return;
    case "environment":
      return await say(Object.keys(process.env).join(" "));
    case "arguments":
      return await say(`${process.argv.slice(3).join(" ")};`);
    case "stop":
      return target;
  }
  throw new RequestError(-32600, `there is no order ${order}`);
}

const app = agent({ name: "orders" })
  .onRequest(methods.agent.initialize, async () => {
    if (mode === "hang-initialize") await new Promise(() => {});
    if (mode === "die-at-start") process.exit(9);
    return {
      protocolVersion: mode === "version-9" ? 9 : 1,
      agentCapabilities: { loadSession: mode !== "no-load" },
      authMethods: Object.keys(KEYS).map((id) => ({ id, name: id })),
    };
  })
  .onRequest(methods.agent.authenticate, ({ params }) => {
    if (process.env[KEYS[params.methodId]] === undefined) throw RequestError.authRequired();
    isSignedIn = true;
    return {};
  })
  .onRequest(methods.agent.session.new, ({ client }) => {
    if (mode === "needs-login" || (mode === "needs-key" && !isSignedIn)) {
      throw RequestError.authRequired();
    }
    const sessionId = `session-${process.pid}`;
    const availableCommands = [
      { name: "orders", description: "lists the orders", input: { hint: "which" } },
    ];
    void client.notify(session.update, {
      sessionId,
      update: { sessionUpdate: "available_commands_update", availableCommands },
    });
    return {
      sessionId,
      modes: {
        currentModeId: "ask",
        availableModes: [
          { id: "ask", name: "Ask" },
          { id: "free", name: "Free" },
        ],
      },
      configOptions: [
        {
          id: "llm",
          name: "Model",
          category: "model",
          type: "select",
          currentValue: "small",
          options: [
            { value: "small", name: "Small" },
            { value: "large", name: "Large" },
          ],
        },
      ],
    };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    const content = { type: "text", text: "replayed" };
    const replay = () =>
      client.notify(session.update, {
        sessionId: params.sessionId,
        update: { sessionUpdate: "agent_message_chunk", content },
      });
    // Some agents send the history after the response.
    if (mode === "late-replay") process.nextTick(() => setImmediate(replay));
    else await replay();
    return {};
  })
  .onRequest(methods.agent.session.setMode, () => ({}))
  .onRequest(methods.agent.session.setConfigOption, () => ({ configOptions: [] }))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    cancelled = new AbortController();
    turnUsage = undefined;
    const text = params.prompt.map((block) => block.text ?? "").join("\n");
    for (const line of text.split("\n").filter((each) => each !== "")) {
      const stop = await follow(line, { client, sessionId: params.sessionId });
      if (typeof stop === "string") return { stopReason: stop };
      if (cancelled.signal.aborted) return { stopReason: "cancelled" };
    }
    return { stopReason: "end_turn", ...(turnUsage !== undefined && { usage: turnUsage }) };
  })
  .onNotification(methods.agent.session.cancel, () => {
    if (mode !== "deaf") cancelled.abort();
  });

app.connect(ndJsonStream(output, Readable.toWeb(process.stdin)));
