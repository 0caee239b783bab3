export { callAgent } from "./call-agent.js";
