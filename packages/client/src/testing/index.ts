export type { ModifiedFileDetails, ToolCallConfirmation } from "@dt/schema";
export { buildCommandQuestion, buildEditQuestion } from "./build-question.js";
export { createFakeAgent, type FakeAgent, type FakeAgentOptions } from "./create-fake-agent.js";
export type { FakeNetwork } from "./fake-network.js";
export type { FakeHeader, FakeScript, FakeTurn } from "./fake-turn.js";
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
export { type PlayRecordingOptions, playRecording } from "./play-recording.js";
