export { type AllowList, AllowListError, parseAllowList } from "./allow-list.js";
export {
  hostOf,
  isAddress,
  isLocalName,
  isLoopbackAddress,
  isPublicAddress,
} from "./public-address.js";
