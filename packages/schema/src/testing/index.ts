export { buildEvent } from "./build-event.js";
export { buildQuestion, buildToolCall } from "./build-tool-call.js";
export type { FaceGuarantee, FaceStage } from "./face-checks.js";
export { faceContract } from "./face-contract.js";
