export {
  createGeminiStandIn,
  type GeminiStandIn,
  type GeminiStandInOptions,
  type StandInConnection,
} from "./gemini/gemini-stand-in.js";
export {
  call,
  runShell,
  type StandInCall,
  type StandInStep,
  type StandInTurn,
  say,
  writeFile,
} from "./gemini/stand-in-script.js";
