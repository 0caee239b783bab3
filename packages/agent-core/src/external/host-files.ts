import type { ExternalHostReply, ReadRequest, ToolCall, WriteRequest } from "@dt/schema";
import { toErrorDetails } from "../errors/tool-error.js";
import { createOwnEdits } from "../tools/builtin/edit/own-edits.js";
import { createWriteFile } from "../tools/builtin/edit/write-file.js";
import type { Plan, Tool, ToolInput } from "../tools/tool.js";
import { decideForTurn } from "../turn/calls/decide-for-turn.js";
import type { GrantedCall, ReportedCalls } from "./calls/reported-calls.js";
import { type CallEnd, runExternalCall, runInside } from "./calls/run-call.js";
import type { ExternalScope } from "./external-scope.js";
import { createReadText } from "./read-text-tool.js";
import { takeLines } from "./take-lines.js";

/** Reads and writes files for an external agent. The policy judges each request. */
export interface HostFiles {
  read(file: ReadRequest, signal: AbortSignal): Promise<ExternalHostReply<string>>;
  write(file: WriteRequest, signal: AbortSignal): Promise<ExternalHostReply<undefined>>;
  /** Resolves when no request runs. */
  end(): Promise<void>;
}

/** Creates the file access of the agent during one turn. */
export function createHostFiles(scope: ExternalScope, calls: ReportedCalls): HostFiles {
  const running = new Set<Promise<unknown>>();

  async function track<TValue>(work: Promise<TValue>): Promise<TValue> {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  }

  /** Runs a tool inside a permitted call, or as a call of its own that the policy judges. */
  async function run(request: FileRequest, signal: AbortSignal): Promise<CallEnd> {
    const { tool, input } = request;
    let plan: Plan;
    try {
      plan = await tool.plan(input, scope.workspace);
    } catch (reason) {
      return { type: "failed", fault: "invalid_input", message: toErrorDetails(reason).message };
    }
    const cover = scope.isToolAllowed(tool.name)
      ? calls.granted().find((one) => request.isCoveredBy(one, plan, scope))
      : undefined;
    if (cover !== undefined) return await runInside(cover, tool, input);
    return await runExternalCall({ call: toCall(request, scope), tool, signal }, scope);
  }

  return {
    async read({ path, line = 1, limit }, signal) {
      let content = "";
      const tool = createReadText((text) => {
        content = text;
      });
      const request = { tool, input: { file_path: path }, isCoveredBy: isFreeRead };
      const reply = toReply(await track(run(request, signal)));
      if (!reply.isDone) return reply;
      return { isDone: true, value: takeLines(content, line, limit) };
    },
    async write({ path, content }, signal) {
      const tool = createWriteFile({ ownEdits: createOwnEdits() });
      const isCoveredBy: FileRequest["isCoveredBy"] = (one, plan) =>
        isShownEdit(one, plan, content, scope);
      const request = { tool, input: { file_path: path, content }, isCoveredBy };
      return toReply(await track(run(request, signal)));
    },
    async end() {
      await Promise.allSettled(running);
    },
  };
}

interface FileRequest {
  readonly tool: Tool;
  readonly input: ToolInput;
  /**
   * Returns true if a permitted, running call already covers this request, so that the request gets no call
   * of its own.
   */
  isCoveredBy(granted: GrantedCall, plan: Plan, scope: ExternalScope): boolean;
}

/**
 * Returns true for a read that the policy allows without a question. Such a read is not shown as a call of
 * its own while a permitted call runs.
 */
function isFreeRead(_granted: GrantedCall, plan: Plan, scope: ExternalScope): boolean {
  return decideForTurn(plan.actions, scope).type === "allow";
}

/**
 * Returns true for an edit that the running call has planned, if the policy allows the edit without a question
 * or the person approved its exact text.
 */
function isShownEdit(
  { run }: GrantedCall,
  plan: Plan,
  content: string,
  scope: ExternalScope,
): boolean {
  const [edit] = plan.actions;
  if (edit?.type !== "edit") return false;
  const isPlanned = run.planned?.some(
    (action) => action.type === "edit" && action.path === edit.path,
  );
  if (isPlanned !== true) return false;
  if (decideForTurn(plan.actions, scope).type === "allow") return true;
  // The person approved `run.shown`. The agent may have changed the diffs of its call since then.
  if (run.shown?.$case !== "fileEditDetails") return false;
  const { filePath, newContent } = run.shown.value;
  return filePath === edit.path && newContent === content;
}

function toCall({ tool, input }: FileRequest, { createId }: ExternalScope): ToolCall {
  return {
    toolCallId: createId(),
    toolName: tool.name,
    status: "PENDING",
    inputParameters: input,
    result: undefined,
  };
}

function toReply(end: CallEnd): ExternalHostReply<undefined> {
  if (end.type === "ran") return { isDone: true, value: undefined };
  if (end.type === "refused") return { isDone: false, fault: "refused", message: end.message };
  const fault = end.fault === "not_found" ? "not-found" : "failed";
  return { isDone: false, fault, message: end.message };
}
