export {
  geminiChunk,
  geminiError,
  geminiStream,
  geminiText,
  openGeminiStandIn,
} from "./model-stand-in/gemini-stand-in.js";
export {
  openaiChunk,
  openaiUnfinishedStream,
  openOpenaiStandIn,
} from "./model-stand-in/openai-stand-in.js";
export { thenFlood, thenWait } from "./model-stand-in/stand-in-answer.js";
export { callTool, say, scriptedModel } from "./scripted-model.js";
export { scriptedTool } from "./scripted-tool.js";
export { openTempWorkspace, type TempWorkspace } from "./temp-workspace.js";
