import { randomUUID } from "node:crypto";

/** Opens Mastra with dt-server as a remote agent. */
export function openClient({ a2a }, { url, client: { protocol } }) {
  const agent = new a2a.A2AAgent({ url, protocolVersion: protocol });
  return {
    converse() {
      const runId = randomUUID();
      let isSuspended = false;
      return {
        async send(text) {
          return (await agent.generate(text, { runId })).text;
        },
        async *stream(text) {
          const stream = isSuspended
            ? await agent.resumeStream(text, { runId })
            : await agent.stream(text, { runId });
          for await (const { type, payload } of stream.fullStream) {
            if (type === "text-delta") yield payload.text;
          }
          isSuspended = (await stream.suspendPayload)?.waitingForInput ?? false;
        },
      };
    },
  };
}
