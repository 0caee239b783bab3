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
  type GeminiCommandResult,
  throwGeminiRefusal,
} from "./gemini-command-codec.js";
export { hasUntoldGeminiQuestion } from "./gemini-draft.js";
export {
  emptyGeminiMemory,
  findReadyAnswers,
  type GeminiCall,
  type GeminiMemory,
} from "./gemini-memory.js";
export {
  encodeGeminiAnswers,
  encodeGeminiPrompt,
  type GeminiAnswer,
} from "./gemini-message-codec.js";
export {
  findGeminiRefusal,
  findGeminiRival,
  type GeminiRival,
  type GeminiRivalSearch,
  reachesGeminiQuestion,
} from "./gemini-rival.js";
