import type { ExternalCall, ToolCallStatus } from "@dt/schema";
import { expect, test } from "vitest";
import { toOpenCall } from "../../record/calls/open-call.js";
import {
  decideOnUpdate,
  findQuestionTarget,
  type KnownCall,
  type QuestionTarget,
  type UpdateReaction,
} from "./known-call.js";
import { toPendingCall } from "./merge-call.js";

type Stage = "reported" | "judged" | "refused" | "running";
type Known = Pick<KnownCall, "isJudged" | "wasRefused" | "running">;

const untouched: Known = { isJudged: false, wasRefused: false };
const stages: Readonly<Record<Stage, Known>> = {
  reported: untouched,
  judged: { ...untouched, isJudged: true },
  refused: { ...untouched, wasRefused: true },
  running: { ...untouched, running: { run: {} as never, settle() {} } },
};

const open = (status: ToolCallStatus | "ended") =>
  status === "ended" ? undefined : toOpenCall({ ...toPendingCall("1", { id: "a" }), status });

test.each<[Stage, ExternalCall["status"], ToolCallStatus | "ended", UpdateReaction]>([
  ["reported", "in_progress", "PENDING", "advance"],
  ["reported", undefined, "EXECUTING", "advance"],
  ["reported", "completed", "EXECUTING", "advance"],
  ["reported", "completed", "ended", "ignore"],
  ["judged", "pending", "PENDING", "ignore"],
  ["judged", "failed", "PENDING", "ignore"],
  ["judged", "in_progress", "PENDING", "replace"],
  ["judged", "completed", "ended", "replace"],
  ["refused", "in_progress", "ended", "replace"],
  ["refused", "failed", "ended", "ignore"],
  ["refused", "completed", "EXECUTING", "advance"],
  ["running", "in_progress", "EXECUTING", "pass-on"],
  ["running", "completed", "ended", "pass-on"],
])(
  "if dt has the call as %s, the agent reports %s and the log shows %s, the reaction is %s",
  (stage, status, ours, reaction) => {
    const update = status === undefined ? {} : { status };

    expect(decideOnUpdate(stages[stage], update, open(ours))).toBe(reaction);
  },
);

test.each<[Stage | "unknown", ToolCallStatus | "ended", QuestionTarget]>([
  ["unknown", "ended", "new"],
  ["reported", "PENDING", "reported"],
  ["reported", "EXECUTING", "inside"],
  ["running", "EXECUTING", "inside"],
  ["judged", "PENDING", "beside"],
  ["judged", "ended", "beside"],
  ["refused", "ended", "new"],
])(
  "if dt has the call as %s and the log shows %s, its question gets the target %s",
  (stage, ours, target) => {
    const known = stage === "unknown" ? undefined : stages[stage];

    expect(findQuestionTarget(known, open(ours))).toBe(target);
  },
);
