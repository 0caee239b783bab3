import type { ExternalCall } from "@dt/schema";
import { ToolError } from "../../errors/tool-error.js";
import type { CallMove, CallStep } from "../../record/calls/advance-calls.js";
import { findOpenCall, isAsking, isOpen, type OpenCall } from "../../record/calls/open-call.js";
import type { Tool, ToolRun } from "../../tools/tool.js";
import type { ExternalScope } from "../external-scope.js";
import { changeOf, movesOf } from "./call-moves.js";
import { mergeCall, toFailure, toLiveText, toOutput, toPendingCall } from "./merge-call.js";
import { planCall } from "./plan-call.js";
import { policyNameOf } from "./policy-name.js";
import { runExternalCall } from "./run-call.js";

/** The tool calls of an external agent in one turn, by the ids that the agent gave them. */
export interface ReportedCalls {
  /** Shows a call, or what has changed of it. */
  report(update: ExternalCall): Promise<void>;
  /** Judges a call, and asks about it if necessary. Resolves with true if the call may run now. */
  mayRun(update: ExternalCall, signal: AbortSignal): Promise<boolean>;
  /** Returns the permitted calls that run now. */
  granted(): readonly GrantedCall[];
  /** Ends the calls that wait for the agent, because its turn has ended. */
  end(reason: string): Promise<void>;
}

/** A call that was permitted and runs. */
export interface GrantedCall {
  readonly call: ExternalCall;
  readonly run: ToolRun;
}

/** A call as the agent has described it so far. */
interface KnownCall {
  readonly toolCallId: string;
  call: ExternalCall;
  /** True while the policy or a person decides about the call. */
  isJudged?: boolean;
  /** Set while a permitted call runs; settles its tool when the agent reports the end. */
  running?: { readonly run: ToolRun; settle(call: ExternalCall | Error): void };
}

/** Maximum number of open calls. An agent that opens more is stopped. */
const MAX_OPEN_CALLS = 256;

/** Creates the calls of one turn; there are none yet. */
export function createReportedCalls(scope: ExternalScope): ReportedCalls {
  const { recorder, workspace, createId, agentName } = scope;
  const known = new Map<string, KnownCall>();
  const asking = new Set<Promise<unknown>>();

  const openCallOf = ({ toolCallId }: KnownCall): OpenCall | undefined => {
    const found = findOpenCall(recorder.state.turn, toolCallId);
    return found !== undefined && isOpen(found) ? found : undefined;
  };

  function add(call: ExternalCall): KnownCall {
    const open = recorder.state.turn?.calls.filter(isOpen).length ?? 0;
    if (open >= MAX_OPEN_CALLS) {
      throw new Error(`${agentName} has more than ${MAX_OPEN_CALLS} open tool calls`);
    }
    const added: KnownCall = { toolCallId: createId(), call };
    known.set(call.id, added);
    return added;
  }

  /** Adds a call to the turn and shows it. */
  async function announce(added: KnownCall): Promise<void> {
    const toolCall = toPendingCall(added.toolCallId, added.call);
    await recorder.commit({
      journal: [{ type: "call-reported", toolCall }],
      events: [{ kind: "TOOL_CALL_UPDATE", toolCall }],
    });
  }

  /** Applies an update to a call that the agent runs without having asked. */
  async function advance(one: KnownCall, open: OpenCall, changed: CallStep | undefined) {
    const { toolCallId } = one;
    const moves = movesOf(one.call, open, workspace.root).map(
      (step): CallMove => ({ toolCallId, step }),
    );
    if (moves.length > 0) await recorder.advance(moves);
    else if (changed !== undefined) await recorder.advance({ toolCallId, step: changed });
    const now = openCallOf(one)?.toolCall;
    const liveContent = toLiveText(one.call);
    if (now?.status === "EXECUTING" && liveContent !== undefined)
      recorder.publishLive({ ...now, liveContent });
  }

  /** Passes an update on to the running tool of a permitted call. */
  function settle({ running, call }: KnownCall): void {
    if (call.status === "completed") running?.settle(call);
    else if (call.status === "failed") running?.settle(new ToolError("external", toFailure(call)));
    else running?.run.print(toLiveText(call) ?? "");
  }

  /** Warns that the agent went on with a call that nobody permitted, and shows the call again. */
  async function replace(old: KnownCall): Promise<void> {
    const open = openCallOf(old);
    if (open !== undefined) {
      await recorder.advance({ toolCallId: old.toolCallId, step: { type: "cancel" } });
      scope.answers.settle(old.toolCallId);
    }
    const message = `${agentName} went on without permission: ${old.call.title ?? old.call.id}`;
    await recorder.commit({ events: [{ kind: "WARNING", warning: { message } }] });
    const again = add(old.call);
    await announce(again);
    const current = openCallOf(again);
    if (current !== undefined) await advance(again, current, undefined);
  }

  async function report(update: ExternalCall): Promise<void> {
    const before = known.get(update.id);
    if (before === undefined) {
      const added = add(update);
      await announce(added);
      const open = openCallOf(added);
      if (open !== undefined) await advance(added, open, undefined);
      return;
    }
    before.call = mergeCall(before.call, update);
    if (before.running !== undefined) return settle(before);
    const open = openCallOf(before);
    const goesOn = update.status === "in_progress" || update.status === "completed";
    const isForbidden = before.isJudged === true || (open === undefined && wasRefused.has(before));
    if (goesOn && isForbidden) return await replace(before);
    if (open === undefined || before.isJudged === true || isAsking(open)) return;
    await advance(before, open, changeOf(update, open));
  }

  const wasRefused = new WeakSet<KnownCall>();

  /** The tool of a call: it runs until the agent reports the end of the call. */
  function toolOf(one: KnownCall, onStart: () => void, isExtra: boolean): Tool {
    return {
      name: one.call.toolName ?? one.call.kind ?? "other",
      description: "",
      parameters: ANY_INPUT,
      isReadOnly: true,
      plan: () => planCall(one.call, scope),
      async run(_input, run) {
        one.isJudged = false;
        onStart();
        if (isExtra) return { result: { $case: "text", value: "allowed" } };
        const ended = await new Promise<ExternalCall | Error>((resolve) => {
          one.running = { run, settle: resolve };
          run.signal.addEventListener("abort", () => resolve(new Error("cancelled")), {
            once: true,
          });
        });
        delete one.running;
        if (ended instanceof Error) throw ended;
        return toOutput(ended, workspace.root);
      },
    };
  }

  async function mayRun(update: ExternalCall, signal: AbortSignal): Promise<boolean> {
    const earlier = known.get(update.id);
    if (earlier !== undefined) earlier.call = mergeCall(earlier.call, update);
    const open = earlier === undefined ? undefined : openCallOf(earlier);
    // A call that runs already cannot be asked about again, so its question is a call inside it.
    const isNested = open?.toolCall.status === "EXECUTING";
    // A second question about the same call, while the first is open, is a call of its own.
    const isExtra = isNested || earlier?.isJudged === true;
    const isReported = open !== undefined && !isExtra;
    const call = { ...(earlier?.call ?? update), status: "pending" as const };
    const extra: KnownCall | undefined = isExtra ? { toolCallId: createId(), call } : undefined;
    const one = extra ?? (isReported && earlier !== undefined ? earlier : add(call));
    one.isJudged = true;
    return await new Promise<boolean>((resolve, reject) => {
      const running = runExternalCall(
        {
          call:
            open !== undefined && isReported ? open.toolCall : toPendingCall(one.toolCallId, call),
          tool: toolOf(one, () => resolve(true), isExtra),
          isReported,
          policyName: policyNameOf(call),
          signal,
          ...(isNested && { parentCallId: earlier?.toolCallId }),
        },
        scope,
      )
        .then(
          (end) => {
            if (end.type === "refused") wasRefused.add(isNested ? (earlier ?? one) : one);
            resolve(false);
          },
          // A call that went on while it was judged has ended, so nothing more can be asked about it.
          (reason) => (openCallOf(one) === undefined ? resolve(false) : reject(reason)),
        )
        .finally(() => {
          one.isJudged = false;
          asking.delete(running);
        });
      asking.add(running);
    });
  }

  return {
    report,
    mayRun,
    granted: () =>
      [...known.values()].flatMap(({ call, running }) =>
        running === undefined ? [] : [{ call, run: running.run }],
      ),
    async end(reason) {
      for (const { running } of known.values()) running?.settle(new ToolError("external", reason));
      await Promise.allSettled(asking);
    },
  };
}

/** Schema of the input of a call. The agent checks its own inputs. */
const ANY_INPUT = { type: "object" };
