import { START_CURSOR } from "@dt/schema";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openStage } from "./support/open-stage.js";

for (const version of ["0.3", "1.0"] as const) {
  for (const transport of ["sse", "websocket"] as const) {
    const over = `over A2A ${version} and ${transport}`;

    test(`task.presence() returns the mode, the number of clients and the caller, ${over}`, async () => {
      await using stage = await openStage();
      const client = await stage.connect({ clientName: "phone", version, transport, WebSocket });
      const task = await client.startTask({
        workspacePath: stage.workspace.root,
        prompt: "write a.txt: hi",
      });
      const events = task.events()[Symbol.asyncIterator]();
      await events.next();

      const watched = await task.presence();
      await events.return?.();

      const caller = { principal: "local", name: "phone" };
      expect(watched).toEqual({ mode: "default", clients: 1, caller });
      expect(task.view().presence).toBeUndefined();
    });

    test(`a subscription from the start cursor replays every event, ${over} [LOG-02]`, async () => {
      await using stage = await openStage();
      const client = await stage.connect({ version, transport, WebSocket });
      const workspacePath = stage.workspace.root;
      const task = await client.startTask({ workspacePath, prompt: "say one" });
      await task.watch(() => {});
      await task.prompt("say two");
      await task.watch(() => {});
      const joined = await client.openTask(task.taskId);

      const texts: string[] = [];
      for await (const event of joined.events({ after: START_CURSOR })) {
        if (event.kind === "TEXT_CONTENT") texts.push(event.text);
      }

      expect(texts).toEqual(["one", "two"]);
    });
  }
}
