export { type StorePromise, storeContract } from "./store-contract.js";
