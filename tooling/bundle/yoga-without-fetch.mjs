import { readFile } from "node:fs/promises";

const FETCH_CHECK = '"function"!=typeof fetch';

/**
 * Lets the layout engine of Ink decode its program itself. It would use `fetch`, and only for that Node would load
 * its HTTP client at the start of `dt`.
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
