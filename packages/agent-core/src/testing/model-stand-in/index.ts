export { type CollectedAnswer, collectAnswer, promptRequest } from "./collect-answer.js";
export {
  type GeminiChunkOptions,
  type GeminiErrorOptions,
  geminiChunk,
  geminiError,
  geminiErrorBody,
  geminiStream,
  geminiText,
  openGeminiStandIn,
} from "./gemini-stand-in.js";
export type { ModelStandIn, ScriptedStandInAnswer, StandInRequest } from "./open-model-stand-in.js";
export {
  openaiChunk,
  openaiError,
  openaiStream,
  openaiStreamOpen,
  openaiText,
  openaiUsage,
  openOpenaiStandIn,
} from "./openai-stand-in.js";
export {
  eventStream,
  jsonAnswer,
  type StandInAnswer,
  type StandInCuts,
  type StandInStep,
  send,
  thenBreak,
  thenWait,
} from "./stand-in-answer.js";
