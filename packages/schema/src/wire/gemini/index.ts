export {
  advanceGeminiTask,
  type GeminiInput,
  type GeminiStep,
  openGeminiTask,
} from "./advance-gemini-task.js";
export {
  decodeGeminiCommandResult,
  decodeGeminiCommands,
  encodeGeminiCommand,
  throwGeminiRefusal,
} from "./gemini-command-codec.js";
export { hasUnannouncedGeminiQuestion } from "./gemini-draft.js";
export { emptyGeminiMemory, findReadyAnswers, type GeminiMemory } from "./gemini-memory.js";
export { encodeGeminiAnswers, encodeGeminiPrompt } from "./gemini-message-codec.js";
export {
  findGeminiRefusal,
  findGeminiRival,
  type GeminiRival,
  reachesGeminiQuestion,
} from "./gemini-rival.js";
export { GEMINI_SPELLING } from "./gemini-spelling.js";
