// Bundles the page and serves it on localhost: node serve.mjs [port]
import { createServer } from "node:http";
import path from "node:path";
import process from "node:process";
import { bundleScript, readPublic } from "./bundle.mjs";

const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript" };

const files = new Map([
  ["/", await readPublic("index.html")],
  ["/page.css", await readPublic("page.css")],
  ["/page.js", await bundleScript("src/main.ts")],
]);

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://page");
  const body = files.get(pathname);
  const type = TYPES[path.extname(pathname)] ?? "text/html";
  response.writeHead(body === undefined ? 404 : 200, {
    "Content-Type": `${type}; charset=utf-8`,
    "Cache-Control": "no-store",
  });
  response.end(body ?? "there is nothing at this address");
});
server.listen(Number(process.argv[2] ?? 5173), "127.0.0.1", () => {
  const origin = `http://127.0.0.1:${server.address().port}`;
  console.log(`the page is at ${origin}/`);
  console.log(`start an agent that allows the page: DT_ALLOWED_ORIGINS=${origin} npm start`);
});
