import type { ConfirmationOption } from "../gen/development_tool/confirmation.js";

/** Ids of the options that each of our questions offers. */
export const OPTION_IDS = {
  proceedOnce: "proceed_once",
  proceedAlways: "proceed_always",
  cancel: "cancel",
} as const;

/** Returns true if an option lets the tool run. Returns false for an unknown option. */
export function isGrant(optionId: string): boolean {
  return optionId === OPTION_IDS.proceedOnce || optionId === OPTION_IDS.proceedAlways;
}

/** Builds the three options of a question; the description says which calls "always" allows. */
export function buildConfirmationOptions(alwaysDescription: string): readonly ConfirmationOption[] {
  return [
    { id: OPTION_IDS.proceedOnce, name: "Allow once" },
    { id: OPTION_IDS.proceedAlways, name: "Always allow", description: alwaysDescription },
    { id: OPTION_IDS.cancel, name: "Reject" },
  ];
}
