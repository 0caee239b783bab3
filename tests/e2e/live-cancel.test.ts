import { DEVELOPMENT_TOOL_URI, SESSION_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { openLiveStage } from "./support/open-live-stage.js";
import { post, readStream } from "./support/raw-rpc.js";

const versions = [
  {
    version: "0.3",
    methods: { stream: "message/stream", cancel: "tasks/cancel" },
    user: { kind: "message", role: "user" },
    textPart: (text: string) => ({ kind: "text", text }),
    headers: { "X-A2A-Extensions": `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}` },
  },
  {
    version: "1.0",
    methods: { stream: "SendStreamingMessage", cancel: "CancelTask" },
    user: { role: "ROLE_USER" },
    textPart: (text: string) => ({ text }),
    headers: {
      "A2A-Version": "1.0",
      "A2A-Extensions": `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}`,
    },
  },
] as const;

test.each(versions)(
  "tasks/cancel ends only the running turn, and queued prompts run next, over A2A $version [CLI-10]",
  async ({ methods, user, textPart, headers }) => {
    await using stage = await openLiveStage();
    const { taskId } = stage.live;
    const prompt = async (name: string, text: string) => {
      const message = { ...user, messageId: name, taskId, parts: [textPart(text)] };
      const named = { ...headers, "X-DT-Client": name };
      return readStream(await post(stage.url, methods.stream, { message }, named));
    };
    const isQueued = (count: number) => (event: { kind: string; prompts?: readonly unknown[] }) =>
      event.kind === "QUEUE" && event.prompts?.length === count;

    const ide = prompt("ide", "wait 3600000 then say never");
    await stage.until((event) => event.kind === "USER_PROMPT");
    const phone = prompt("phone", "say from the phone");
    await stage.until(isQueued(1));
    await stage.type("say typed");
    await stage.until(isQueued(2));
    const cancelled = await post(stage.url, methods.cancel, { id: taskId }, headers);
    const streams = await Promise.all([ide, phone]);
    await stage.until((event) => event.kind === "TEXT_CONTENT" && event.text.includes("typed"));

    expect(cancelled.status).toBe(200);
    const [ofIde, ofPhone] = streams.map((frames) => JSON.stringify(frames));
    expect(ofIde).toContain("the turn was cancelled");
    // The word "never" also occurs in the session's title, so the check includes the key `text`.
    expect(ofIde).not.toContain('"text":"never"');
    expect(ofPhone).toContain("from the phone");
    expect(ofPhone).not.toContain("the turn was cancelled");
    const { items, queue } = await stage.live.view();
    const texts = items.flatMap(({ event }) =>
      event.kind === "USER_PROMPT"
        ? [event.origin.name]
        : event.kind === "TEXT_CONTENT"
          ? [event.text]
          : [],
    );
    expect(texts).toEqual(["ide", "phone", "from the phone", "terminal", "typed"]);
    expect(queue).toEqual([]);
    expect(stage.faults).toEqual([]);
  },
);
