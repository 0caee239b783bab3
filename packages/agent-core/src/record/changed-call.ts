import type { ToolCall } from "@dt/schema";
import { createProcessMark } from "../workspace/processes/process-mark.js";
import type { JournalRecord } from "./journal-record.js";

/** The record of a call's step. One that starts is marked before any process of it can run. */
export function changedCall(toolCall: ToolCall): JournalRecord {
  const isStarting = toolCall.status === "EXECUTING";
  return { type: "call-changed", toolCall, ...(isStarting && { mark: createProcessMark() }) };
}
