export { callTool, type ScriptedAnswer, say, scriptedModel } from "./scripted-model.js";
export { openTempWorkspace, type TempWorkspace } from "./temp-workspace.js";
