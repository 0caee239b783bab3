import type { ExternalCall } from "@dt/schema";
import { ToolError } from "../../errors/tool-error.js";
import type { CallMove, CallStep } from "../../record/calls/advance-calls.js";
import { findOpenCall, isOpen, type OpenCall } from "../../record/calls/open-call.js";
import type { ToolRun } from "../../tools/tool.js";
import type { ExternalScope } from "../external-scope.js";
import { changeOf, movesOf } from "./call-moves.js";
import { decideOnUpdate, findQuestionTarget, type KnownCall } from "./known-call.js";
import { mergeCall, toLiveText, toPendingCall } from "./merge-call.js";
import { createPermittedTool, updateTool } from "./permitted-tool.js";
import { policyNamesOf } from "./policy-names.js";
import { runExternalCall } from "./run-call.js";

/** The tool calls of an external agent in one turn, by the ids that the agent gave them. */
export interface ReportedCalls {
  /** Shows a new call, or the changes of a known call. */
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

/** Maximum number of open calls. An agent that opens more is stopped. */
const MAX_OPEN_CALLS = 256;

/** Creates the empty record of the calls of one turn. */
export function createReportedCalls(scope: ExternalScope): ReportedCalls {
  const { recorder, createId, agentName } = scope;
  const known = new Map<string, KnownCall>();
  const asking = new Set<Promise<unknown>>();

  function add(call: ExternalCall): KnownCall {
    const open = recorder.state.turn?.calls.filter(isOpen).length ?? 0;
    if (open >= MAX_OPEN_CALLS) {
      throw new Error(`${agentName} has more than ${MAX_OPEN_CALLS} open tool calls`);
    }
    const added = toKnownCall(createId(), call);
    known.set(call.id, added);
    return added;
  }

  /** Adds a call to the turn and shows it in the state that the agent reports. */
  async function show(call: ExternalCall): Promise<void> {
    const added = add(call);
    const toolCall = toPendingCall(added.toolCallId, call);
    await recorder.commit({
      journal: [{ type: "call-reported", toolCall }],
      events: [{ kind: "TOOL_CALL_UPDATE", toolCall }],
    });
    const open = findOpen(scope, added);
    if (open !== undefined) await advance(scope, { known: added, open, change: undefined });
  }

  /** Warns that the agent went on with a call that nobody permitted, and shows the call again. */
  async function replace(old: KnownCall): Promise<void> {
    if (findOpen(scope, old) !== undefined) {
      await recorder.advance({ toolCallId: old.toolCallId, step: { type: "cancel" } });
      scope.answers.settle(old.toolCallId);
    }
    const message = `${agentName} went on without permission: ${old.call.title ?? old.call.id}`;
    await recorder.commit({ events: [{ kind: "WARNING", warning: { message } }] });
    await show(old.call);
  }

  async function report(update: ExternalCall): Promise<void> {
    const before = known.get(update.id);
    if (before === undefined) return await show(update);
    before.call = mergeCall(before.call, update);
    const open = findOpen(scope, before);
    const reaction = decideOnUpdate(before, update, open);
    if (reaction === "pass-on") updateTool(before);
    if (reaction === "replace") await replace(before);
    if (reaction === "advance" && open !== undefined) {
      await advance(scope, { known: before, open, change: changeOf(update, open) });
    }
  }

  async function mayRun(update: ExternalCall, signal: AbortSignal): Promise<boolean> {
    const earlier = known.get(update.id);
    if (earlier !== undefined) earlier.call = mergeCall(earlier.call, update);
    const open = earlier && findOpen(scope, earlier);
    const target = findQuestionTarget(earlier, open);
    const call = { ...(earlier?.call ?? update), status: "pending" as const };
    const isQuestionOnly = target === "inside" || target === "beside";
    const reported = target === "reported" ? earlier : undefined;
    const asked = isQuestionOnly ? toKnownCall(createId(), call) : (reported ?? add(call));
    asked.isJudged = true;
    return await new Promise<boolean>((resolve, reject) => {
      const onStart = (run: ToolRun) => {
        if (target === "inside" && earlier !== undefined) earlier.permitted = run;
        resolve(true);
      };
      const running = runExternalCall(
        {
          call: reported && open ? open.toolCall : toPendingCall(asked.toolCallId, call),
          tool: createPermittedTool(asked, { scope, isQuestionOnly, onStart }),
          isReported: reported !== undefined,
          policyNames: policyNamesOf(call),
          signal,
          ...(target === "inside" && { parentCallId: earlier?.toolCallId }),
        },
        scope,
      )
        .then(
          (end) => {
            const judged = target === "inside" ? (earlier ?? asked) : asked;
            if (end.type === "refused") judged.wasRefused = true;
            resolve(false);
          },
          // The call ended because the agent went on while the call was judged. Its question gets no answer.
          (reason) => (findOpen(scope, asked) === undefined ? resolve(false) : reject(reason)),
        )
        .finally(() => {
          asked.isJudged = false;
          asking.delete(running);
        });
      asking.add(running);
    });
  }

  return {
    report,
    mayRun,
    granted: () =>
      [...known.values()].flatMap((one) => {
        const inside = findOpen(scope, one) === undefined ? undefined : one.permitted;
        const run = one.running?.run ?? inside;
        return run === undefined ? [] : [{ call: one.call, run }];
      }),
    async end(reason) {
      for (const { running } of known.values()) running?.settle(new ToolError("external", reason));
      await Promise.allSettled(asking);
    },
  };
}

function toKnownCall(toolCallId: string, call: ExternalCall): KnownCall {
  return { toolCallId, call, isJudged: false, wasRefused: false };
}

function findOpen(
  { recorder }: ExternalScope,
  { toolCallId }: Pick<KnownCall, "toolCallId">,
): OpenCall | undefined {
  const found = findOpenCall(recorder.state.turn, toolCallId);
  return found !== undefined && isOpen(found) ? found : undefined;
}

/** An update of a call that the agent runs without having asked. */
interface ReportedUpdate {
  readonly known: KnownCall;
  readonly open: OpenCall;
  /** The step that shows a new title or input, if the call does not move. */
  readonly change: CallStep | undefined;
}

/** Moves a call to the state that the agent reports, and shows its live text. */
async function advance(scope: ExternalScope, { known, open, change }: ReportedUpdate) {
  const { recorder, workspace } = scope;
  const { toolCallId, call } = known;
  const moves = movesOf(call, open, workspace.root).map((step): CallMove => ({ toolCallId, step }));
  if (moves.length > 0) await recorder.advance(moves);
  else if (change !== undefined) await recorder.advance({ toolCallId, step: change });
  const now = findOpen(scope, known)?.toolCall;
  const liveContent = toLiveText(known.call);
  if (now?.status === "EXECUTING" && liveContent !== undefined)
    recorder.publishLive({ ...now, liveContent });
}
