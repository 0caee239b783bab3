import { readFileSync } from "node:fs";
import type { Router } from "express";
import { expect, test } from "vitest";
import { GRPC_V0_3 } from "../grpc/bindings/grpc-v0-3.js";
import { GRPC_V1_0 } from "../grpc/bindings/grpc-v1-0.js";
import { createHttpApp, type HttpAppOptions } from "./create-http-app.js";

/** One row of the table of routes in docs/protocol.md. */
interface Row {
  readonly route: string;
  readonly program: string;
  readonly dialects: readonly string[];
}

/** The fields of a layer of Express's router that this test reads. */
interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
  readonly slash: boolean;
  match(path: string): boolean;
}

const DOCUMENT = new URL("../../../../docs/protocol.md", import.meta.url);
const MOUNT_POINTS = ["/v0.3/v1", "/v1", "/tasks"];
/** Routes that are not in the app of `createHttpApp`. The health-route, metrics and WebSocket tests cover them. */
const OUTSIDE = ["GET /health", "GET /metrics", "GET /ws"];

const rows = readTable("## Routes");

function readTable(heading: string): readonly Row[] {
  const [, section = ""] = readFileSync(DOCUMENT, "utf8").split(`\n${heading}\n`);
  return section
    .slice(0, section.indexOf("\n## "))
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| route"))
    .map((line) => {
      const [, route = "", program = "", , dialect = ""] = line
        .split("|")
        .map((cell) => cell.trim());
      return { route: route.replaceAll("`", ""), program, dialects: dialect.split(", ") };
    });
}

/** Returns the documented routes of a program. */
function documented(program: string): readonly string[] {
  const own = rows.filter((row) => row.program === program || row.program === "both");
  return unique(own.map(({ route }) => route).filter((route) => !route.startsWith("gRPC")));
}

/** Returns the routes that an app mounts, in the spelling of the table. */
function mounted(isLive: boolean): readonly string[] {
  const shared = isLive ? async () => undefined : undefined;
  // The cast is safe, because the app gets no request and so never uses the missing options.
  const join = isLive ? {} : undefined;
  const fields = { services: { shared }, guard: {}, maxBodyBytes: 1, join };
  const options = fields as unknown as HttpAppOptions;
  const { router } = createHttpApp(options) as unknown as { readonly router: Router };
  return unique(routesIn((router as unknown as { stack: readonly Layer[] }).stack, ""));
}

function routesIn(stack: readonly Layer[], prefix: string): readonly string[] {
  return stack.flatMap((layer) => {
    const { route, handle } = layer;
    if (route !== undefined)
      return verbsOf(route.methods).map((verb) => spell(verb, prefix, route));
    if (handle.stack === undefined) return [];
    const mount = layer.slash ? "" : MOUNT_POINTS.find((point) => layer.match(point));
    if (mount === undefined)
      throw new Error("a router is mounted at a path that this test does not know");
    return routesIn(handle.stack, prefix + mount);
  });
}

// Lists the HTTP methods of a route. A handler of all methods is left out, because it only answers 405, and
// HEAD is left out, because the table does not list it.
function verbsOf(methods: Readonly<Record<string, boolean>>): readonly string[] {
  if (methods._all === true || methods.trace === true) return [];
  return Object.keys(methods).filter((verb) => verb !== "head");
}

function spell(verb: string, prefix: string, { path }: { readonly path: string }): string {
  const whole = `${prefix}${path === "/" && prefix !== "" ? "" : path}`;
  const route = whole
    .replaceAll("\\", "")
    .replace(":taskId", "{id}")
    .replace(":contextId", "{id}")
    .replace(":grantId", "{grantId}")
    .replace(":configId", "{configId}")
    .replace(":file", "{file}");
  return `${verb.toUpperCase()} ${route}`;
}

function unique(routes: readonly string[]): readonly string[] {
  return [...new Set(routes)].sort();
}

test.each([
  ["dt-server", false],
  ["dt", true],
])(
  "the table of routes has exactly the routes that %s mounts [SRV-01, CLI-06]",
  (program, isLive) => {
    const inApp = documented(program).filter((route) => !OUTSIDE.includes(route));

    expect(inApp).toEqual(mounted(isLive));
  },
);

test("the table of routes lists every dialect and every gRPC service", () => {
  const dialects = new Set(rows.flatMap((row) => row.dialects));
  const methods = [GRPC_V1_0, GRPC_V0_3].flatMap((binding) => binding.methods);
  const services = new Set(methods.map(({ path }) => path.split("/")[1]));

  expect([...dialects].sort()).toEqual(["canonical", "gemini", "guide", "notes", "reference", "–"]);
  expect(rows.flatMap(({ route }) => (route.startsWith("gRPC ") ? [route.slice(5)] : []))).toEqual([
    ...services,
  ]);
});
