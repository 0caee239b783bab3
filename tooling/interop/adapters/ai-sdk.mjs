/** Opens the AI SDK with its provider for A2A agents. The address of the agent card is the name of the model. */
export function openClient({ ai, provider }, { url }) {
  const model = provider.a2a(`${url}.well-known/agent-card.json`);
  return {
    converse() {
      let contextId;
      const options = (prompt) => ({
        model,
        prompt,
        maxRetries: 0,
        // The application must pass the context id, so that the next message continues the session.
        ...(contextId && { providerOptions: { a2a: { contextId } } }),
      });
      return {
        async send(prompt) {
          return (await ai.generateText(options(prompt))).text;
        },
        async *stream(prompt) {
          const result = ai.streamText({ ...options(prompt), includeRawChunks: true });
          for await (const part of result.fullStream) {
            if (part.type === "error") throw part.error;
            if (part.type === "raw") contextId = part.rawValue.contextId ?? contextId;
            if (part.type === "text-delta") yield part.text;
          }
        },
      };
    },
  };
}
