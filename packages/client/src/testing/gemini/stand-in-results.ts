import type { JsonObject } from "@dt/schema";
import type { StandInCall } from "./stand-in-script.js";

/** Builds the part of a response that the model reads. */
export function modelResponse({ name }: StandInCall, key: string, value: string): JsonObject {
  return { responseParts: [{ functionResponse: { name, response: { [key]: value } } }] };
}

/** Builds the response of a call that succeeded. */
export function success(callId: string, one: StandInCall): JsonObject {
  return {
    callId,
    ...modelResponse(one, "output", one.output ?? ""),
    resultDisplay: one.result ?? "",
  };
}

/**
 * Builds the response of a call that failed. The peer's error is always empty, because
 * JSON.stringify drops the fields of an Error.
 */
export function failure(callId: string, one: StandInCall): JsonObject {
  const { message = "", type = "" } = one.error ?? {};
  const response = { callId, error: {}, ...modelResponse(one, "error", message) };
  return { ...response, resultDisplay: message, errorType: type };
}
