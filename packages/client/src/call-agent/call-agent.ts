import {
  type AgentCall,
  type AgentCallResult,
  type CallAgent,
  DEVELOPMENT_TOOL_URI,
  findExtension,
  textOf,
} from "@dt/schema";
import { isGeminiCard } from "@dt/schema/wire";
import type { AgentClient } from "../agent-client.js";
import { connect } from "../connect.js";
import { TransportError } from "../errors/transport-error.js";
import { turnOf } from "../events/turn-of.js";
import type { TaskHandle } from "../task/task-handle.js";
import { linkSignals, untilAborted } from "../transport/abort-signals.js";
import { collectResult } from "./collect-result.js";
import { describeProgress } from "./describe-progress.js";
import { createAgentFetch } from "./guard-fetch.js";
import { createQuestionRelay } from "./question-relay.js";

/** Maximum size of all responses of one call together. */
const MAX_BYTES = 64_000_000;

/** Maximum number of attempts in a row to reach the agent. */
const MAX_ATTEMPTS = 8;

/** Time that the request to cancel the agent's task may take. */
const CANCEL_TIMEOUT_MS = 8_000;

/** Maximum length of the id of an agent's task, which is stored and shown. */
const MAX_ID_LENGTH = 500;

/** Calls another agent: a dt, any other A2A agent of version 1.0 or 0.3, or gemini-cli's server. */
export const callAgent: CallAgent = async (call) => {
  const link = linkSignals();
  const forget = onStop(call.signal, () =>
    link.abort(new TransportError("closed", "the call was stopped")),
  );
  const { agent } = call;
  const client = await connect(agent.url, {
    fetch: createAgentFetch({
      origin: new URL(agent.url).origin,
      maxBytes: MAX_BYTES,
      stop: (reason) => link.abort(reason),
    }),
    acceptsPlain: true,
    // The token must reach only the host in the settings, even if the card has another address.
    keepsOrigin: true,
    transport: "sse",
    reconnect: { maxAttempts: MAX_ATTEMPTS },
    signal: link.signal,
    ...(agent.token !== undefined && { token: agent.token }),
  }).catch((reason: unknown) => {
    forget();
    throw link.signal.aborted ? link.signal.reason : reason;
  });
  try {
    return await callConnected(client, { ...call, signal: link.signal });
  } finally {
    client.close();
    forget();
  }
};

/** A call with an AbortSignal of the platform, which `fetch` needs. */
type RunningCall = AgentCall & { readonly signal: AbortSignal };

/** Calls `stop` when the signal aborts; returns a function that removes this callback. */
function onStop(signal: AgentCall["signal"], stop: () => void): () => void {
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  return () => signal.removeEventListener("abort", stop);
}

async function callConnected(client: AgentClient, call: RunningCall): Promise<AgentCallResult> {
  const task = await openTask(client, call);
  const { taskId } = task;
  if (taskId.length > MAX_ID_LENGTH) {
    throw new TransportError("unreadable", "the id of the agent's task is too long");
  }
  try {
    await call.accepted({ taskId });
    return await followTask(client, task, call);
  } catch (reason) {
    if (!call.keepsTask()) await cancelTask(task);
    throw call.signal.aborted ? call.signal.reason : reason;
  }
}

async function openTask(client: AgentClient, call: RunningCall): Promise<TaskHandle> {
  const { agent, prompt, messageId, taskId, depth: callDepth, signal } = call;
  if (taskId !== undefined) return await client.openTask(taskId, { signal });
  return await client.startTask({
    prompt,
    messageId,
    callDepth,
    signal,
    ...(!isPlain(client) && { workspacePath: agent.workspacePath }),
  });
}

/** Cancels the task. Errors are ignored, because the task may have ended and the agent may be unreachable. */
async function cancelTask(task: TaskHandle): Promise<void> {
  await task.cancel({ signal: AbortSignal.timeout(CANCEL_TIMEOUT_MS) }).catch(() => {});
}

/** Follows a task until its turn ends, and passes the agent's questions to the person here. */
async function followTask(
  client: AgentClient,
  task: TaskHandle,
  call: RunningCall,
): Promise<AgentCallResult> {
  const silence = startSilenceTimer(call.silenceMs);
  const relay = createQuestionRelay(task, call, () => silence.set(relay.waiting === 0));
  const link = linkSignals(call.signal, silence.signal);
  const { signal } = link;
  const guarded = <TValue>(work: Promise<TValue>) =>
    untilAborted(Promise.race([work, relay.failed]), signal);
  try {
    relay.follow(task.view());
    const events = task.events({ signal })[Symbol.asyncIterator]();
    // The question that was answered last. The task's state still shows this question until the agent
    // reacts to the answer.
    let answered: string | undefined;
    while (!isOver(client, task)) {
      const isAsking = isTextQuestion(client, task);
      const question = isAsking ? findQuestion(task, answered) : undefined;
      if (!isAsking) answered = undefined;
      if (question !== undefined) {
        silence.set(false);
        await guarded(answerText(question, task, { ...call, signal }));
        answered = question;
      }
      silence.set(relay.waiting === 0);
      const { done } = await guarded(events.next());
      if (done === true) break;
      call.print(describeProgress(task.view()));
      relay.follow(task.view());
    }
    signal.throwIfAborted();
    return collectResult(task.view());
  } finally {
    silence.set(false);
    relay.close();
    link.release();
  }
}

/**
 * Returns true if the loop over the events must be left, because the turn is over. Returns false if the
 * agent has our session extension, because a loop over its events ends by itself. With other agents, the
 * loop over an idle task would wait for the next prompt.
 */
function isOver(client: AgentClient, task: TaskHandle): boolean {
  const view = task.view();
  if (client.followsSessions || isTextQuestion(client, task)) return false;
  return view.state !== "submitted" && !["running", "asking"].includes(turnOf(view).status);
}

/** Returns true if a plain agent waits for an answer in words. */
function isTextQuestion(client: AgentClient, task: TaskHandle): boolean {
  const view = task.view();
  return isPlain(client) && view.state === "input-required" && view.openCalls.length === 0;
}

/** Finds the question of a waiting agent; undefined if the agent has asked nothing since the last answer. */
function findQuestion(task: TaskHandle, answered: string | undefined): string | undefined {
  const { parts } = collectResult(task.view());
  const text = textOf(task.view().statusParts ?? parts.slice(-1));
  if (answered !== undefined && (text === "" || text === answered)) return undefined;
  return text === "" ? "The agent waits for input." : text;
}

/** Asks the question of a plain agent, and sends the answer as the next message. */
async function answerText(text: string, task: TaskHandle, call: RunningCall): Promise<void> {
  const answer = await call.ask({ type: "text", text }).answer;
  const words = answer.isGranted ? "yes" : (answer.reason ?? "no");
  await task.prompt(words, { signal: call.signal });
  if (answer.isGranted) {
    await answer.finish({ type: "succeed", output: { result: { $case: "text", value: words } } });
  }
}

/** Returns true for an agent that has no development-tool extension and is not gemini-cli's server. */
function isPlain({ card }: AgentClient): boolean {
  return !isGeminiCard(card) && !findExtension(card, DEVELOPMENT_TOOL_URI).fits;
}

/**
 * Creates a timer that aborts its signal when the agent was silent for `silenceMs`. `set(true)` restarts
 * the timer, and `set(false)` stops it.
 */
function startSilenceTimer(silenceMs: number) {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expire = () =>
    controller.abort(
      new TransportError(
        "closed",
        `it was silent for ${silenceMs} ms; set timeoutMs in its settings to wait longer`,
      ),
    );
  const set = (isRunning: boolean) => {
    clearTimeout(timer);
    timer = isRunning ? setTimeout(expire, silenceMs) : undefined;
  };
  set(true);
  return { signal: controller.signal, set };
}
