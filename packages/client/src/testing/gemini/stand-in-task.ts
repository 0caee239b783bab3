import { isObject, type JsonObject } from "@dt/schema";
import { createStandInOutput, type StandInStamps } from "./stand-in-output.js";
import { failure, modelResponse, success } from "./stand-in-results.js";
import type { StandInCall, StandInStep, StandInTurn } from "./stand-in-script.js";

const ABORTED = "Execution aborted by client.";

/** Behaviour of a task of the stand-in. */
export interface StandInTaskOptions extends StandInStamps {
  readonly autoExecute: boolean;
  /**
   * True if an answer with an edit makes the task hang, as in version 0.25.2. Otherwise the task
   * asks again before it continues.
   */
  readonly hangsOnEdits: boolean;
  /** True if all questions of a step arrive at once, and must be answered together. */
  readonly asksTogether: boolean;
  /** True if streams stay open during a question, as in versions of the peer after 0.25.2. */
  readonly keepsStreams: boolean;
  /**
   * True if a refusal removes everything but the refused call from the history, as in version
   * 0.25.2.
   */
  readonly forgetsRefused: boolean;
  /** Called for every call that runs. */
  onRun(call: StandInCall, newContent: string | undefined): void;
}

interface Answer {
  readonly outcome: string;
  readonly newContent?: string;
}

interface Question {
  readonly callId: string;
  resolve(answer: Answer): void;
}

const OUTCOMES = [
  "proceed_once",
  "proceed_always",
  "proceed_always_server",
  "proceed_always_tool",
  "modify_with_editor",
  "cancel",
];

/** Creates one task of the stand-in: its streams, its state, and its running turn. */
export function createStandInTask(options: StandInTaskOptions) {
  const output = createStandInOutput(options);
  const { update, enter, sendCall } = output;
  const questions = new Map<string, Question>();
  const allowed = new Set<string>();
  let turn: { isAborted: boolean; stop: Promise<void>; cancel(): void } | undefined;
  let calls = 0;

  async function run(steps: StandInTurn): Promise<void> {
    let cancel = () => {};
    const stop = new Promise<void>((resolve) => {
      cancel = resolve;
    });
    const own = { isAborted: false, stop, cancel };
    turn = own;
    enter("working");
    for (const step of steps) {
      const isContinued = await play(step, own);
      if (turn !== own) return;
      if (own.isAborted) return abort(own);
      if (!isContinued) break;
    }
    turn = undefined;
    enter("input-required", undefined, true);
  }

  function abort(own: object): void {
    if (turn !== own) return;
    turn = undefined;
    questions.clear();
    enter("input-required", ABORTED, true);
  }

  type Turn = NonNullable<typeof turn>;

  /** Plays a step; resolves to true if the turn continues after it. */
  async function play(step: StandInStep, own: Turn): Promise<boolean> {
    switch (step.type) {
      case "say":
        update("text-content", [{ kind: "text", text: step.text }]);
        return true;
      case "think": {
        const { subject, description } = step;
        update("thought", [{ kind: "data", data: { subject, description } }]);
        return true;
      }
      case "cite":
        update("citation", [{ kind: "text", text: step.text }]);
        return true;
      case "fail": {
        const text = `Agent Error, unknown agent message: ${step.message}`;
        update("state-change", [{ kind: "text", text }], { error: step.error });
        return true;
      }
      case "raw":
        output.sendRaw(step.metadata, step.parts);
        return true;
      case "wait":
        await Promise.race([own.stop, step.until ?? own.stop]);
        return true;
      case "call":
        return await playCalls(step.calls, own);
    }
  }

  async function playCalls(batch: readonly StandInCall[], own: Turn): Promise<boolean> {
    enter("working");
    const done: (() => void)[] = [];
    const named = batch.map((one) => {
      calls += 1;
      return { one, callId: `${one.name}-${calls}` };
    });
    for (const { one, callId } of named) {
      if (one.error?.isInvalid !== true) sendCall(callId, one, { status: "validating" });
    }
    const together = options.asksTogether ? await askTogether(named, own) : undefined;
    let cancelled = 0;
    for (const { one, callId } of named) {
      const settle = (rest: JsonObject) => {
        sendCall(callId, one, rest);
        // Every update of the peer repeats the finished calls of the step.
        done.push(() => sendCall(callId, one, rest));
      };
      if (one.error?.isInvalid === true) {
        settle({ status: "error", response: failure(callId, one) });
        continue;
      }
      const answer = together?.get(callId) ?? (await ask(callId, one, own, done));
      if (turn !== own) return false;
      if (answer.outcome === "cancel" || own.isAborted) {
        if (options.forgetsRefused) output.history.length = 0;
        settle({
          status: "cancelled",
          response: { callId, ...modelResponse(one, "error", ABORTED) },
        });
        if (own.isAborted) return false;
        cancelled += 1;
        continue;
      }
      for (const status of ["scheduled", "executing"]) {
        for (const repeat of done) repeat();
        sendCall(callId, one, { status });
      }
      options.onRun(one, answer.newContent);
      for (const text of one.live ?? []) output.print(callId, text);
      if (one.until !== undefined) await Promise.race([one.until, own.stop]);
      if (turn !== own) return false;
      for (const repeat of done) repeat();
      settle(
        one.error === undefined
          ? { status: "success", response: success(callId, one) }
          : { status: "error", response: failure(callId, one) },
      );
      if (own.isAborted) return false;
    }
    if (cancelled === batch.length) return false;
    enter("working");
    return true;
  }

  async function ask(
    callId: string,
    one: StandInCall,
    own: Turn,
    done: readonly (() => void)[],
  ): Promise<Answer> {
    if (one.confirmation === undefined || allowed.has(one.name)) return { outcome: "proceed_once" };
    for (const repeat of done) repeat();
    const asking = { status: "awaiting_approval", confirmationDetails: one.confirmation };
    sendCall(callId, one, asking);
    if (options.autoExecute) return { outcome: "proceed_once" };
    const answered = openQuestion(callId, own);
    endStreams();
    const answer = await answered;
    if (answer.newContent !== undefined) {
      if (options.hangsOnEdits) await own.stop;
      const edited = { ...one.confirmation, newContent: answer.newContent };
      sendCall(callId, one, { ...asking, confirmationDetails: edited });
    }
    if (answer.outcome.startsWith("proceed_always_")) allowed.add(one.name);
    return answer;
  }

  async function askTogether(
    named: readonly { readonly one: StandInCall; readonly callId: string }[],
    own: Turn,
  ): Promise<ReadonlyMap<string, Answer>> {
    const answers = named.map(async ({ one, callId }) => {
      const asking = { status: "awaiting_approval", confirmationDetails: one.confirmation };
      sendCall(callId, one, asking);
      return [callId, await openQuestion(callId, own)] as const;
    });
    endStreams();
    return new Map(await Promise.all(answers));
  }

  /** Ends the streams when a question opens, unless `keepsStreams` is set. */
  function endStreams(): void {
    if (!options.keepsStreams) enter("input-required", undefined, true);
  }

  function openQuestion(callId: string, own: Turn): Promise<Answer> {
    const answered = new Promise<Answer>((resolve) => questions.set(callId, { callId, resolve }));
    return Promise.race([answered, own.stop.then(() => ({ outcome: "cancel" }))]);
  }

  function acceptAnswers(answers: readonly JsonObject[]): void {
    const accepted = answers.filter(
      ({ callId, outcome }) => questions.has(String(callId)) && OUTCOMES.includes(String(outcome)),
    );
    // If some answers are missing, the peer accepts the others and then hangs.
    if (options.asksTogether && !options.keepsStreams && accepted.length < questions.size) {
      questions.clear();
      return;
    }
    for (const { callId, outcome, newContent } of accepted) {
      const question = questions.get(String(callId));
      questions.delete(String(callId));
      question?.resolve({
        outcome: String(outcome),
        ...(typeof newContent === "string" && { newContent }),
      });
    }
  }

  return {
    taskId: options.taskId,
    get state() {
      return output.state;
    },
    get isRunning() {
      return turn !== undefined;
    },
    /** True if a stream of the task is open. Another stream can then join. */
    get isStreaming() {
      return output.isStreaming;
    },
    history: output.history,
    show: output.show,
    attach: output.attach,
    detach: output.detach,
    /** Starts a turn; returns a function to call when its connection closes. */
    start(steps: StandInTurn): () => void {
      void run(steps);
      const own = turn;
      return () => {
        if (own === undefined || turn !== own) return;
        own.isAborted = true;
        // A turn that waits for an answer continues to wait, and then cancels the call.
        if (questions.size === 0) abort(own);
      };
    },
    answer(parts: readonly JsonObject[]): void {
      const answers = parts.flatMap(({ data }) => (isObject(data) ? [data] : []));
      if (questions.size > 0) acceptAnswers(answers);
      else if (turn === undefined) enter("input-required", undefined, true);
    },
    interrupt: () => enter("working"),
    cancel(): void {
      const own = turn;
      turn = undefined;
      questions.clear();
      enter(
        "canceled",
        own ? "Task canceled by user request." : "Task cancellation requested by user.",
        true,
      );
      own?.cancel();
    },
  };
}

/** A task of the stand-in. */
export type StandInTask = ReturnType<typeof createStandInTask>;
