export { buildEvent } from "./build-event.js";
export { buildQuestion, buildToolCall } from "./build-tool-call.js";
