import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import { type FaceAnswerRequest, isObject, OPTION_IDS, type Question } from "@dt/schema";
import { encodeToolCall } from "./encode-tool-call.js";

const KINDS: Readonly<Record<string, PermissionOptionKind>> = {
  [OPTION_IDS.proceedOnce]: "allow_once",
  [OPTION_IDS.proceedAlways]: "allow_always",
  [OPTION_IDS.cancel]: "reject_once",
};

/**
 * Encodes a question as a request for permission. `_meta.dt.canEdit` says whether the answer may replace the
 * content of the file.
 */
export function encodeQuestion(
  sessionId: string,
  question: Question,
  directory: string,
): RequestPermissionRequest {
  const { options, details } = question.confirmationRequest;
  const canEdit = details?.$case === "fileEditDetails";
  return {
    sessionId,
    toolCall: encodeToolCall(question, { directory }),
    options: options.map(toOption),
    _meta: { dt: { canEdit, canGiveReason: true } },
  };
}

function toOption({ id, name, description }: Question["confirmationRequest"]["options"][number]) {
  // An option that we do not know may allow the call, so it counts as `allow_once`. An editor that rejects
  // without asking then never chooses it.
  const kind = Object.hasOwn(KINDS, id) ? (KINDS[id] ?? "allow_once") : "allow_once";
  const text = description && id === OPTION_IDS.proceedAlways ? `${name}: ${description}` : name;
  return { optionId: id, name: text, kind } satisfies PermissionOption;
}

/**
 * Decodes the editor's answer. An outcome that chooses no offered option rejects the call, because nothing may
 * run that nobody allowed.
 */
export function decodeAnswer(
  { toolCallId, confirmationRequest }: Question,
  { outcome, _meta }: RequestPermissionResponse,
): FaceAnswerRequest {
  const answer = { type: "answer", toolCallId } as const;
  if (outcome.outcome !== "selected") return { ...answer, optionId: OPTION_IDS.cancel };
  const { optionId } = outcome;
  if (!confirmationRequest.options.some(({ id }) => id === optionId)) {
    const reason = "the editor chose an option that was not offered";
    return { ...answer, optionId: OPTION_IDS.cancel, reason };
  }
  const { newContent, reason } = readMeta(outcome._meta ?? _meta);
  return {
    ...answer,
    optionId,
    ...(newContent !== undefined && { newContent }),
    ...(reason !== undefined && { reason }),
  };
}

function readMeta(meta: unknown): { readonly newContent?: string; readonly reason?: string } {
  const own = isObject(meta) && isObject(meta.dt) ? meta.dt : {};
  const { newContent, reason } = own;
  return {
    ...(typeof newContent === "string" && { newContent }),
    ...(typeof reason === "string" && reason !== "" && { reason }),
  };
}
