import { buildConfirmationOptions, type ConfirmationRequest, OPTION_IDS } from "@dt/schema";
import type { Plan } from "../tools/tool.js";
import { describeAlways } from "./remembered-answers.js";

/** Builds the question about a call. It offers "always" only if the answer can be remembered. */
export function buildConfirmationRequest({ actions, details, note }: Plan): ConfirmationRequest {
  const covered = describeAlways(actions);
  const options = buildConfirmationOptions(covered ?? "").map((option) =>
    option.id === OPTION_IDS.proceedOnce && note !== undefined
      ? { ...option, description: note }
      : option,
  );
  return {
    options:
      covered === undefined ? options.filter(({ id }) => id !== OPTION_IDS.proceedAlways) : options,
    details,
  };
}
