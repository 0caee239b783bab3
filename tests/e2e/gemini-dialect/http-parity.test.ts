import { readFileSync } from "node:fs";
import { isObject } from "@dt/schema";
import { expect, test } from "vitest";
import { openNotesStage } from "../notes/notes-stage.js";
import { parseEvents, post } from "../support/raw-rpc.js";
import { buildPrompt } from "./open-dialect-stage.js";
import { shapeOf, shapesOf } from "./shape.js";

// The golden files have the shapes of recordings 20 and 30 of gemini-cli's a2a-server 0.25.2. These requests are
// left out, because our server responds differently on purpose:
// - the card, because it has our name;
// - `POST /tasks` without settings, because our server treats it as a request of the server reference;
// - commands of a server without a workspace, because ours always has one;
// - `restore` without a name, because ours lists the checkpoints;
// - `restore` of a checkpoint, because our checkpoints have numbers instead of names;
// - a second `init`, because ours may change the file that exists.

/** A recorded request and the shape of the response: a status with a body, or the frames of a stream. */
interface Exchange {
  readonly request: string;
  readonly body?: object;
  readonly answer: readonly unknown[];
}

type Stage = Awaited<ReturnType<typeof openNotesStage>>;

test.each(["20-http-endpoints", "30-commands-with-workspace"])(
  "our server's responses have the same shape as in the recording %s [SRV-01, SRV-05]",
  async (name) => {
    await using stage = await openNotesStage();
    const recorded = readGolden(name);

    const answers: Exchange[] = [];
    let id = "";
    for (const { request, body } of recorded) {
      const { answer, json } = await play(request.replace("{id}", id), body, { stage, id });
      if (request === "POST /tasks") id = String(json);
      answers.push({ request, ...(body && { body }), answer });
    }

    expect(answers).toEqual(recorded);
    expect(stage.faults).toEqual([]);
  },
);

test("our server lists all commands of gemini-cli's server except `restore list` [SRV-05]", async () => {
  await using stage = await openNotesStage();
  const recorded = readLines("20-http-endpoints").find(({ body }) => "commands" in Object(body));

  const ours = new Set(namesIn(await stage.get("listCommands")));

  // Our server does not list `restore list`, but accepts it and runs `restore`.
  expect(namesIn(recorded?.body).filter((name) => !ours.has(name))).toEqual(["restore list"]);
});

/** Sends a recorded request to our server and returns the shape of the response. */
async function play(
  request: string,
  body: object | undefined,
  { stage, id }: { readonly stage: Stage; readonly id: string },
) {
  const [method = "", path = ""] = request.split(" ");
  const response = await (path === "/"
    ? post(stage.server.url, "message/stream", {
        message: { ...buildPrompt("say on a precreated task"), taskId: id },
      })
    : fetch(stage.at(path.slice(1)), {
        method,
        ...(body && {
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body).replace("{root}", stage.workspace.root),
        }),
      }));
  const text = await response.text();
  if (response.headers.get("Content-Type") === "text/event-stream") {
    const frames = parseEvents(text).map(({ json }) => json.result);
    return { answer: shapesOf(frames), json: undefined };
  }
  const json: unknown = JSON.parse(text);
  const shape = isObject(json) && "error" in json ? json : shapeOf(reduceLists(json));
  return { answer: [{ status: response.status, body: shape }], json };
}

// Keeps one item of a list of tools or commands, because the two servers have different tools and commands.
function reduceLists(json: unknown): unknown {
  if (!isObject(json)) return json;
  const { commands, metadata } = json;
  if (Array.isArray(commands)) {
    return { commands: [{ ...commands[0], name: "command", arguments: [], subCommands: [] }] };
  }
  if (!isObject(metadata) || !Array.isArray(metadata.availableTools)) return json;
  const [{ description }] = metadata.availableTools;
  return { metadata: { ...metadata, availableTools: [{ description }] } };
}

function namesIn(json: unknown): readonly string[] {
  if (!isObject(json)) return [];
  const inner = [json.commands ?? json.subCommands].flat().flatMap(namesIn);
  return typeof json.name === "string" ? [json.name, ...inner] : inner;
}

/** A line of a golden file. */
interface Line {
  readonly request?: string;
  readonly status?: number;
  readonly body?: object;
  readonly frame?: unknown;
}

function readLines(name: string): readonly Line[] {
  const file = new URL(`http-golden/${name}.jsonl`, import.meta.url);
  const [, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}

function readGolden(name: string): readonly Exchange[] {
  const exchanges: (Exchange & { readonly answer: unknown[] })[] = [];
  for (const { request, status, body, frame } of readLines(name)) {
    if (request !== undefined) exchanges.push({ request, ...(body && { body }), answer: [] });
    else if (status === undefined) exchanges.at(-1)?.answer.push(frame);
    else exchanges.at(-1)?.answer.push({ status, body: reduceLists(body) });
  }
  return exchanges;
}
