import { expect, test } from "vitest";
import { advanceAgentOffer, describeModeChange, EMPTY_OFFER, openOffer } from "./advance-offer.js";

const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }, { id: "go" }] };

test("openOffer reads modes and models in both forms of the protocol", () => {
  const models = { currentModelId: "a", availableModels: [{ modelId: "a", name: "A" }] };
  const options = [{ value: "x", name: "X" }];
  const option = { id: "llm", category: "model", currentValue: "x", options };

  expect(openOffer({ modes, models })).toEqual({
    commands: [],
    modes: [
      { id: "ask", name: "Ask" },
      { id: "go", name: "go" },
    ],
    modeId: "ask",
    models: [{ id: "a", name: "A" }],
    modelId: "a",
  });
  expect(openOffer({ configOptions: [{ ...option, options: [{ group: "g", options }] }] })).toEqual(
    {
      ...EMPTY_OFFER,
      modelOption: "llm",
      models: [{ id: "x", name: "X" }],
      modelId: "x",
    },
  );
});

test("advanceAgentOffer replaces commands, and leaves out names with spaces or slashes", () => {
  const availableCommands = [
    { name: "plan", description: "plans", input: { hint: "goal" } },
    { name: "two words", description: "" },
    { description: "no name" },
  ];
  const update = { sessionUpdate: "available_commands_update", availableCommands };

  expect(advanceAgentOffer(EMPTY_OFFER, update).commands).toEqual([
    { name: "plan", description: "plans", hint: "goal" },
  ]);
});

test("a change of the mode is described, and an update of the plan does not change the offer", () => {
  const offer = openOffer({ modes });
  const update = { sessionUpdate: "current_mode_update", currentModeId: "go" };
  const changed = advanceAgentOffer(offer, update);

  expect(describeModeChange(offer, changed)).toBe("the agent's own mode is now go");
  expect(describeModeChange(changed, advanceAgentOffer(changed, update))).toBeUndefined();
  expect(advanceAgentOffer(offer, { sessionUpdate: "plan" })).toBe(offer);
});
