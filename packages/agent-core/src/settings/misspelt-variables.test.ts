import { expect, test } from "vitest";
import { describeMisspeltVariables } from "./misspelt-variables.js";

test("a misspelt variable is reported with the name that was probably meant", () => {
  const environment = {
    DT_MODLE: "offline",
    DT_MODE: "plan",
    CODER_AGENT_PROT: "1",
    DT_PROCESS_4242: "1",
    DT_PORT: "1",
    DT_SOMETHING_ELSE: "1",
    MODEL: "x",
  };

  expect(describeMisspeltVariables(environment, ["CODER_AGENT_PORT", "DT_HOST"])).toEqual([
    "there is no variable CODER_AGENT_PROT, did you mean CODER_AGENT_PORT?",
    "there is no variable DT_MODLE, did you mean DT_MODEL?",
    "there is no variable DT_PORT, did you mean CODER_AGENT_PORT?",
  ]);
});
