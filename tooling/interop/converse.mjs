/**
 * A conversation with the agent. It uses the calls of the client that an application would use. If the
 * agent asks a question, the next text goes to the task of the question.
 *
 * @typedef {object} Conversation
 * @property {(text: string) => Promise<string>} send resolves with the whole reply
 * @property {(text: string) => AsyncIterable<string>} stream yields text as it arrives
 */

/**
 * Creates a conversation from the A2A methods of a client. A plain client gets each text twice: in a status
 * message and in an artifact. `send` reads only artifacts, and `stream` reads only status messages.
 *
 * @returns {Conversation}
 */
export function createConversation({ send, stream }) {
  let target = {};
  const keep = ({ taskId, contextId, state }) => {
    if (state !== undefined) target = state === "input-required" ? { taskId, contextId } : {};
  };
  return {
    async send(text) {
      const task = await send({ text, ...target });
      keep(task);
      const { answer = "", question = "" } = task.artifacts;
      return `${answer}${question}`;
    },
    async *stream(text) {
      for await (const seen of stream({ text, ...target })) {
        keep(seen);
        if (seen.text !== "" && Object.keys(seen.artifacts).length === 0) yield seen.text;
      }
    },
  };
}
