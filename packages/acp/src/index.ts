export {
  DEFAULT_LINE_LIMITS,
  type LineLimits,
  openJsonLines,
  type PeerBytes,
} from "./stdio/json-line-stream.js";
