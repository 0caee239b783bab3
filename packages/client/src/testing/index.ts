export {
  createGeminiStandIn,
  type GeminiStandIn,
  type GeminiStandInOptions,
  type StandInConnection,
} from "./gemini/gemini-stand-in.js";
export {
  geminiScript,
  type StandInCall,
  type StandInStep,
  type StandInTurn,
} from "./gemini/stand-in-script.js";
