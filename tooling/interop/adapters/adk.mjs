import { randomUUID } from "node:crypto";

/** Opens Google's Agent Development Kit with dt-server as a remote agent. */
export function openClient({ adk }, { url }) {
  const agent = new adk.RemoteA2AAgent({ name: "dt", agentCard: url });
  const runner = new adk.InMemoryRunner({ agent, appName: "interop" });
  return {
    converse() {
      const [userId, sessionId] = ["user", randomUUID()];
      let opened;
      const run = async function* (text) {
        const { sessionService, appName } = runner;
        opened ??= sessionService.createSession({ appName, userId, sessionId });
        await opened;
        const newMessage = { role: "user", parts: [{ text }] };
        for await (const event of runner.runAsync({ userId, sessionId, newMessage })) {
          if (event.errorMessage) throw new Error(event.errorMessage);
          const said = (event.content?.parts ?? []).map((part) => part.text ?? "").join("");
          if (said !== "") yield { said, isPartial: event.partial === true };
        }
      };
      return {
        /** Skips partial events, because the complete event that follows them repeats their text. */
        async send(text) {
          let reply = "";
          for await (const { said, isPartial } of run(text)) reply += isPartial ? "" : said;
          return reply;
        },
        async *stream(text) {
          for await (const { said } of run(text)) yield said;
        },
      };
    },
  };
}
