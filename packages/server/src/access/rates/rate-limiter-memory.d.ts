// The package declares its types only for its main entry, which loads the drivers of every database.
declare module "rate-limiter-flexible/lib/RateLimiterMemory.js" {
  // biome-ignore lint/style/noDefaultExport: the whole export of a CommonJS module is its default.
  export { RateLimiterMemory as default } from "rate-limiter-flexible";
}
