import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { DockerfileParser, type Instruction } from "dockerfile-ast";
import { expect, test } from "vitest";
import { readText, root } from "../repository/repository.js";
import { KNOWN_VARIABLES, unknownVariablesIn } from "./deploy-files.js";

const dockerfile = DockerfileParser.parse(readText("Dockerfile"));

const all = (keyword: string): readonly Instruction[] =>
  dockerfile.getInstructions().filter((each) => each.getKeyword() === keyword);

const wordsOf = (instruction: Instruction | undefined): readonly string[] =>
  (instruction?.getArguments() ?? []).map((argument) => argument.getValue());

const words = (keyword: string): readonly string[] => wordsOf(all(keyword).at(-1));

/** The variables of the image. */
const environment: ReadonlyMap<string, string> = new Map(
  dockerfile
    .getENVs()
    .flatMap((env) => env.getProperties())
    .map((each) => [each.getName(), each.getValue() ?? ""]),
);

/** Parses the list of strings after a keyword, such as `ENTRYPOINT ["tini", "--"]`. */
const listOf = (instruction: Instruction | undefined): readonly string[] => {
  const text = instruction?.getRawArgumentsContent() ?? "";
  return JSON.parse(text.slice(text.indexOf("[")));
};

test("the image runs the bundle that `collect` writes, as a user without rights [SRV-17]", () => {
  const [build, last] = all("COPY").map(wordsOf);
  const run = all("RUN").map((each) => each.getRawArgumentsContent() ?? "");
  const scripts = JSON.parse(readText("package.json")).scripts;

  expect(build).toEqual([".", "."]);
  expect(run[0]).toBe("node tooling/run.cjs collect apps/server /out");
  expect(scripts.collect).toBe("node tooling/run.cjs collect");
  expect(last).toEqual(["/out", "/app"]);
  expect(listOf(all("ENTRYPOINT").at(-1))).toEqual(["tini", "--", "node", "/app/dist/main.js"]);
  expect(run[1]).toContain("tini");
  expect(words("USER")).toEqual(["1000:1000"]);
});

test("both stages of the image use the same base, with a Node version that CI tests", () => {
  const [base] = words("ARG");
  const version = Number(/^NODE_IMAGE=node:(\d+)-/.exec(base ?? "")?.[1]);
  const workflow = readText(".github/workflows/test.yml");

  const stages = all("FROM").map((from) => wordsOf(from)[0]);
  expect(stages).toHaveLength(2);
  expect(new Set(stages).size).toBe(1);
  expect(workflow).toMatch(new RegExp(`node: \\[.*\\b${version}\\b.*\\]`));
});

test("every variable of the image is one that dt-server reads [SRV-15, SRV-17]", () => {
  expect([...environment.keys()].filter((name) => !KNOWN_VARIABLES.has(name))).toEqual([]);
  expect(unknownVariablesIn(readText("Dockerfile"))).toEqual([]);
});

test("all lines of the Dockerfile name the same port, data directory and workspaces", () => {
  const volumes = listOf(all("VOLUME").at(-1));

  expect(words("EXPOSE")).toEqual([environment.get("CODER_AGENT_PORT")]);
  expect(volumes).toEqual([environment.get("DT_DATA_DIR"), "/tmp", words("WORKDIR")[0]]);
  expect(environment.get("DT_WORKSPACE_ROOTS")).toBe(words("WORKDIR")[0]);
  expect(environment.get("CODER_AGENT_WORKSPACE_PATH")).toBe(words("WORKDIR")[0]);
  expect(environment.get("DT_HOST")).toBe("0.0.0.0");
});

test("the image and the task definition of AWS have the same health check, on the image's port", () => {
  const command = listOf(all("HEALTHCHECK").at(-1));
  const task = JSON.parse(readText("deploy/aws/task-definition.json"));

  expect(command.slice(0, 2)).toEqual(["node", "-e"]);
  expect(command[2]).toContain("/health");
  expect(task.containerDefinitions[0].healthCheck.command).toEqual(["CMD", ...command]);
});

test("the build context of the image contains what the build reads, and no generated or secret files", () => {
  const ignore = readText(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const [first, ...rest] = ignore;
  const included = rest.filter((line) => line.startsWith("!")).map((line) => line.slice(1));

  expect(first).toBe("**");
  expect(included.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  for (const needed of ["apps", "packages", "tooling", "pnpm-lock.yaml", "pnpm-workspace.yaml"]) {
    expect(included).toContain(needed);
  }
  expect(rest).toEqual(expect.arrayContaining(["**/node_modules", "**/dist", "**/.env*"]));
});

test("`collect` copies every library that is not bundled", () => {
  const { dependencies } = JSON.parse(readText("apps/server/package.json"));
  const config = readFileSync(path.join(root, "apps/server/tsup.config.ts"), "utf8");
  const bundled = new RegExp(/noExternal: \[\/(.*)\/\]/.exec(config)?.[1] ?? "never");

  const external = Object.keys(dependencies).filter((name) => !bundled.test(name));
  const copied = Object.keys(dependencies).filter((name) => !name.startsWith("@dt/"));
  expect(copied).toEqual(expect.arrayContaining(external));
});
