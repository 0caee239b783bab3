export {
  decodeRecording,
  encodeRecordedEvent,
  encodeRecordingHeader,
  type Recording,
  type RecordingHeader,
} from "@dt/schema/wire";
export { createFakeAgent, type FakeAgent, type FakeAgentOptions } from "./create-fake-agent.js";
export type { FakeNetwork } from "./fake-network.js";
export { echo, type FakeHeader, type FakeScript, type FakeTurn } from "./fake-turn.js";
export { type PlayRecordingOptions, playRecording } from "./play-recording.js";
