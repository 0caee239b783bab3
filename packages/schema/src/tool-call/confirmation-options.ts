import type { ConfirmationOption } from "../gen/development_tool/confirmation.js";

/** The option ids that every question of ours offers, and what each grants. */
export const optionIds = {
  proceedOnce: "proceed_once",
  proceedAlways: "proceed_always",
  cancel: "cancel",
} as const;

/** Whether choosing an option lets the tool run. Anything that we do not know does not. */
export function isGrant(optionId: string): boolean {
  return optionId === optionIds.proceedOnce || optionId === optionIds.proceedAlways;
}

/** The three options of a question; `alwaysCovers` tells what "always" will cover. */
export function buildConfirmationOptions(alwaysCovers: string): readonly ConfirmationOption[] {
  return [
    { id: optionIds.proceedOnce, name: "Allow once" },
    { id: optionIds.proceedAlways, name: "Always allow", description: alwaysCovers },
    { id: optionIds.cancel, name: "Reject" },
  ];
}
