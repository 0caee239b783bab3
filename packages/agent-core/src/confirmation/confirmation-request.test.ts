import { expect, test } from "vitest";
import type { Plan } from "../tools/tool.js";
import { buildConfirmationRequest } from "./confirmation-request.js";

const details: Plan["details"] = {
  $case: "genericDetails",
  value: { description: "what it does" },
};

test('a question says what the option "always" would allow', () => {
  const request = buildConfirmationRequest({
    description: "Writes a.txt",
    actions: [{ type: "edit", path: "/w/a.txt", isInside: true }],
    details,
  });

  expect(request).toEqual({
    options: [
      { id: "proceed_once", name: "Allow once" },
      {
        id: "proceed_always",
        name: "Always allow",
        description:
          "edits inside the workspace, for the rest of this turn and in later turns that you prompt",
      },
      { id: "cancel", name: "Reject" },
    ],
    details,
  });
});

test('a question does not offer "always" if the answer cannot be remembered', () => {
  const request = buildConfirmationRequest({
    description: "Runs a command",
    actions: [{ type: "execute", command: "$X", directory: "/w", parts: undefined }],
    details,
  });

  expect(request.options.map((option) => option.id)).toEqual(["proceed_once", "cancel"]);
});
