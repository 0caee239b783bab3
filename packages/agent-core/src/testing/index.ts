export {
  type CollectedAnswer,
  collectAnswer,
  promptRequest,
} from "./model-stand-in/collect-answer.js";
export {
  type GeminiChunkOptions,
  type GeminiErrorOptions,
  geminiChunk,
  geminiError,
  geminiErrorBody,
  geminiStream,
  geminiText,
  openGeminiStandIn,
} from "./model-stand-in/gemini-stand-in.js";
export type {
  ModelStandIn,
  ScriptedStandInAnswer,
  StandInRequest,
} from "./model-stand-in/open-model-stand-in.js";
export {
  openaiChunk,
  openaiError,
  openaiStream,
  openaiStreamOpen,
  openaiText,
  openaiUsage,
  openOpenaiStandIn,
} from "./model-stand-in/openai-stand-in.js";
export {
  eventStream,
  jsonAnswer,
  type StandInAnswer,
  type StandInCuts,
  type StandInStep,
  send,
  thenBreak,
  thenFlood,
  thenWait,
} from "./model-stand-in/stand-in-answer.js";
export { callTool, type ScriptedAnswer, say, scriptedModel } from "./scripted-model.js";
export { type ScriptedTool, type ScriptedToolOptions, scriptedTool } from "./scripted-tool.js";
export { openTempWorkspace, type TempWorkspace } from "./temp-workspace.js";
