import { type SessionEvent, textOf } from "@dt/schema";
import { expect, test } from "vitest";
import { createFakeAgent } from "../testing/index.js";

const kinds = [true, false].flatMap((hasCursors) =>
  (["1.0", "0.3"] as const).flatMap((version) =>
    (["sse", "websocket"] as const).map((transport) => ({ hasCursors, version, transport })),
  ),
);

function brief(event: SessionEvent): string {
  if (event.kind === "TEXT_CONTENT") return event.text;
  if (event.kind === "USER_PROMPT") return `> ${textOf(event.parts)}`;
  return event.kind === "STATE_CHANGE" ? event.state : event.kind;
}

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test.each(kinds)(
  "a loop yields the turn of a later prompt ($transport, A2A $version, hasCursors $hasCursors) [CLI-10]",
  async ({ hasCursors, version, transport }) => {
    const gate = createGate();
    const agent = createFakeAgent({
      hasCursors,
      script: async (turn) => {
        turn.say(`${turn.text} begins`);
        if (turn.text === "one") await gate.opened;
        turn.say(`${turn.text} ends`);
      },
    });
    const client = await agent.connect({ version, transport });
    const task = await client.startTask({ workspacePath: "/work", prompt: "one" });
    const seen: string[] = [];

    for await (const event of task.events()) {
      seen.push(brief(event));
      if (seen.at(-1) !== "one begins") continue;
      await task.prompt("two");
      gate.open();
    }

    const texts = seen.filter((word) => /begins|ends/.test(word));
    expect(texts).toEqual(["one begins", "one ends", "two begins", "two ends"]);
    expect(seen.filter((word) => word === "> two")).toHaveLength(1);
    expect(seen.at(-1)).toBe("completed");
  },
);

test.each(kinds)(
  "a loop waits for a prompt being sent ($transport, A2A $version, hasCursors $hasCursors)",
  async ({ hasCursors, version, transport }) => {
    const gate = createGate();
    const agent = createFakeAgent({ hasCursors });
    /** Delays the second prompt until the first turn is over. */
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (String(init?.body).includes('"two"')) await gate.opened;
      return await agent.fetch(input, init);
    };
    class DelayingSocket extends agent.WebSocket {
      override send(text: string): void {
        if (text.includes('"two"')) void gate.opened.then(() => super.send(text));
        else super.send(text);
      }
    }
    const client = await agent.connect({ version, transport, fetch, WebSocket: DelayingSocket });
    const task = await client.startTask({ workspacePath: "/work", prompt: "one" });
    const seen: string[] = [];
    const prompting = task.prompt("two");

    for await (const event of task.events()) {
      seen.push(brief(event));
      // The gate opens after the loop has seen the end of the turn.
      if (seen.at(-1) === "completed") setTimeout(gate.open);
    }
    await prompting;

    expect(seen.filter((word) => word === "one" || word === "two")).toEqual(["one", "two"]);
    expect(seen.at(-1)).toBe("completed");
  },
);
