export { type GcsStoreOptions, openGcsStore } from "./open-gcs-store.js";
