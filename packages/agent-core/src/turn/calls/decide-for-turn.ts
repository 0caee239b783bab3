import { type Decision, decide } from "../../confirmation/permission-policy.js";
import { isRemembered } from "../../confirmation/remembered-answers.js";
import type { Action } from "../../tools/action.js";
import type { CallScope } from "../turn-scope.js";

/** Applies the policy to a call of the running turn, with the current mode and the remembered answers. */
export function decideForTurn(actions: readonly Action[], { mode, recorder }: CallScope): Decision {
  const { turn, remembered } = recorder.state;
  const running = turn && { number: turn.prompt.turn, principal: turn.prompt.origin.principal };
  return decide({
    mode: mode(),
    actions,
    isRemembered: (action) => running !== undefined && isRemembered(remembered, action, running),
  });
}
