// Writes the files of the page at /join into one module. The build of dt bundles this module.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { bundleScript, readPublic } from "./bundle.mjs";

/**
 * Leaves out the modules of @dt/client that are loaded only for agents other than dt, or for WebSockets.
 * These modules would be a third of the page.
 */
const onlyOurEndpoint = {
  name: "only-our-endpoint",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/(gemini-client|rfc-channel|open-agent-socket)-/ }, ({ path: name }) => ({
      path: name,
      namespace: "left-out",
    }));
    onLoad({ filter: /.*/, namespace: "left-out" }, () => ({
      contents: 'throw new Error("this page only connects to the endpoint that serves it");',
    }));
  },
};

const page = [
  { path: "/join", type: "text/html", body: await readPublic("join.html") },
  { path: "/join/page.css", type: "text/css", body: await readPublic("page.css") },
  {
    path: "/join/page.js",
    type: "text/javascript",
    body: await bundleScript("src/join.ts", [onlyOurEndpoint]),
  },
];
const dist = path.join(import.meta.dirname, "dist");
await mkdir(dist, { recursive: true });
await writeFile(
  path.join(dist, "join-page.js"),
  `export const JOIN_PAGE = ${JSON.stringify(page)};\n`,
);
await writeFile(
  path.join(dist, "join-page.d.ts"),
  `/** The files of the page at \`/join\`. */
export declare const JOIN_PAGE: readonly {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}[];
`,
);
