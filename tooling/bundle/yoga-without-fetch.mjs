import { readFile } from "node:fs/promises";

const FETCH_CHECK = '"function"!=typeof fetch';

/**
 * Makes Yoga, the layout engine of Ink, decode its WebAssembly without `fetch`. At the first `fetch`, Node
 * loads its HTTP client, which would slow down the start of `dt`.
 */
export const yogaWithoutFetch = {
  name: "yoga-without-fetch",
  setup(build) {
    build.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!text.includes(FETCH_CHECK))
        throw new Error(`${path} has changed; adapt ${import.meta.url}`);
      return { contents: text.replaceAll(FETCH_CHECK, "true"), loader: "js" };
    });
  },
};
