export type { ModifiedFileDetails, ToolCallConfirmation } from "@dt/schema";
export {
  decodeRecording,
  encodeRecordedEvent,
  encodeRecordingHeader,
  type Recording,
  type RecordingHeader,
} from "@dt/schema/wire";
export { buildCommandQuestion, buildEditQuestion } from "./build-question.js";
export { createFakeAgent, type FakeAgent, type FakeAgentOptions } from "./create-fake-agent.js";
export type { FakeNetwork } from "./fake-network.js";
export { echo, type FakeHeader, type FakeScript, type FakeTurn } from "./fake-turn.js";
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
