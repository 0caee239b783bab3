import { toOrigin } from "@dt/schema";

/** Maximum number of simultaneous appends to the ledger. A real agent has the same limit. */
const MAX_IN_FLIGHT = 256;

let held = [];

/** Lets every task with a "hold" prompt continue. */
export function releaseHeld() {
  for (const release of held) release();
  held = [];
}

/**
 * Opens an agent without a model. After the prompt "10000", it appends 10,000 pieces of text, one by one.
 * After the prompt "hold 10000", it waits for {@link releaseHeld} first.
 */
export async function openBurstAgent({ ledger }) {
  let turns = 0;

  async function run(count, taskId, turn) {
    const stamp = (event) => ({
      taskId,
      turn,
      state: "working",
      at: new Date().toISOString(),
      model: "burst",
      ...event,
    });
    let last = Promise.resolve();
    for (let index = 1; index <= count; index += 1) {
      last = ledger.append({
        events: [stamp({ kind: "TEXT_CONTENT", text: `piece ${index} of it; ` })],
      });
      if (index % MAX_IN_FLIGHT === 0) await last;
    }
    await last;
    await ledger.append({ events: [stamp({ kind: "STATE_CHANGE", state: "completed" })] });
  }

  async function prompt({ messageId, taskId, parts }, caller) {
    turns += 1;
    const turn = turns;
    const at = new Date().toISOString();
    const stamp = { taskId, turn, at, model: "burst" };
    const origin = toOrigin(caller);
    const afterPosition = await ledger.append({
      events: [
        { ...stamp, kind: "USER_PROMPT", state: "submitted", messageId, parts, origin },
        { ...stamp, kind: "STATE_CHANGE", state: "working" },
      ],
      receipt: { user: caller.user, messageId, taskId, turn },
    });
    const [, isHeld, count] = /^(hold )?(\d+)$/.exec(parts[0].text);
    const begin = isHeld ? new Promise((resolve) => held.push(resolve)) : Promise.resolve();
    begin
      .then(() => run(Number(count), taskId, turn))
      .catch((reason) => process.stderr.write(`${reason?.stack ?? reason}\n`));
    return { type: "ticket", ticket: { taskId, turn, afterPosition } };
  }

  return {
    async handle(request, caller) {
      if (request.type === "prompt") return await prompt(request, caller);
      if (request.type === "cancel") return { type: "changed", isChanged: false };
      if (request.type === "get-modes")
        return { type: "modes", mode: "default", startMode: "default", others: [] };
      const message = `the burst agent has no ${request.type}`;
      return { type: "refused", code: "unsupported-operation", message };
    },
    close: async () => {},
  };
}
