/**
 * Opens Strands with dt-server as a remote agent. Strands sends no context id, so each call starts a
 * session.
 */
export function openClient({ a2a }, { url }) {
  const agent = new a2a.A2AAgent({ url });
  return {
    converse: () => ({
      async send(text) {
        return String(await agent.invoke(text));
      },
      async *stream(text) {
        for await (const { type, event } of agent.stream(text)) {
          if (type !== "a2aStreamUpdateEvent" || event.kind !== "artifact-update") continue;
          yield event.artifact.parts.map((part) => part.text ?? "").join("");
        }
      },
    }),
  };
}
