import { type SessionEvent, textOf } from "@dt/client";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openStage } from "./support/open-stage.js";

// With an unknown session URI, the client activates only the RFC's extension and gets no cursors.
const rfcOnly = { uris: { developmentTool: DEVELOPMENT_TOOL_URI, session: "urn:of-another:v9" } };

const kinds = (["sse", "websocket"] as const).flatMap((transport) =>
  (["0.3", "1.0"] as const).flatMap((version) => [
    { transport, version, mode: "with cursors", options: {} },
    { transport, version, mode: "without cursors", options: rfcOnly },
  ]),
);

test.each(kinds)(
  "a loop over events can await task.prompt(), over $transport in A2A $version $mode [CLI-10]",
  async ({ transport, version, options }) => {
    await using stage = await openStage();
    const client = await stage.connect({ transport, version, WebSocket, ...options });
    const task = await client.startTask({
      workspacePath: stage.workspace.root,
      prompt: "say one then write a.txt: hi then say two",
    });
    const seen: SessionEvent[] = [];
    let isPrompted = false;

    for await (const event of task.events()) {
      seen.push(event);
      if (event.kind === "TEXT_CONTENT" && !isPrompted) {
        isPrompted = true;
        await task.prompt("say three");
      }
      if (event.kind !== "STATE_CHANGE") continue;
      for (const call of event.waiting ?? []) await task.answer(call, "proceed_once");
    }

    const texts = seen.flatMap((event) => (event.kind === "TEXT_CONTENT" ? [event.text] : []));
    const prompts = seen.flatMap((event) =>
      event.kind === "USER_PROMPT" ? [textOf(event.parts)] : [],
    );
    expect(texts.join("")).toBe("onetwothree");
    expect(prompts).toEqual(["say three"]);
    expect(seen.at(-1)?.state).toBe("completed");
    expect(task.view().state).toBe("completed");
  },
);
