import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { geminiChunk, geminiError, geminiStream, thenWait } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import {
  buildAnswer,
  buildPrompt,
  type DialectStageOptions,
  findAskedCall,
  openDialectStage,
  request,
  say,
  stepOf,
  type TaskName,
} from "./open-dialect-stage.js";
import { shapesOf } from "./shape.js";

// The golden files have the shapes of recordings of gemini-cli's a2a-server 0.25.2. Updates that repeat a
// finished call are left out. The tests run the same scenarios against our server.

/** One thing that the client does: stream a prompt, send one with message/send, answer, or call a method. */
type Act =
  | { readonly type: "prompt"; readonly text: string; readonly autoExecute?: true }
  | { readonly type: "send"; readonly text: string }
  | { readonly type: "answer"; readonly outcome: string }
  | { readonly type: "call"; readonly method: string; readonly id?: string };

interface Scenario extends DialectStageOptions {
  readonly name: string;
  readonly acts: readonly Act[];
  /** Kind of the frame at which the client cancels the task. The response to the cancel is compared too. */
  readonly cancelsAt?: string;
  /** Called at each frame with live output. */
  readonly onOutput?: (root: string) => Promise<void>;
  /** Matches frames that only gemini-cli's server sends. Such frames of the recording are not compared. */
  readonly onlyTheirs?: RegExp;
  /** Matches all frames that only our server sends. Matching frames of both servers are not compared. */
  readonly onlyOurs?: RegExp;
}

const go = { type: "prompt", text: "go" } as const;
const approve = { type: "answer", outcome: "proceed_once" } as const;
const refuse = { type: "answer", outcome: "cancel" } as const;
const write = (file: string, content = `content of ${file}\n`) =>
  ["write_file", { file_path: file, content }] as const;
const shell = (command: string) => ["run_shell_command", { command, description: "run" }] as const;

const FOREVER = new Promise<never>(() => {});
const MCP_SERVER = fileURLToPath(new URL("mcp-server.mjs", import.meta.url));
// Matches the frames after a refusal. Only our agent continues the turn, so that the model can react.
const CONTINUES = /"kind":"state-change".*"state":"working"|text-content/;

const scenarios: readonly Scenario[] = [
  {
    name: "01-text",
    answers: () => [say("Hello ", "from ", "the model.")],
    acts: [go],
  },
  {
    name: "02-thought",
    answers: () => [
      stepOf(
        { text: "**Planning** I will look at the files first.", thought: true },
        { text: "a thought without a bold subject", thought: true },
        { text: "Done thinking." },
      ),
    ],
    acts: [go],
  },
  {
    name: "03-write-approve",
    answers: () => [request(write("hello.txt")), say("Wrote it.")],
    acts: [go, approve],
  },
  {
    name: "03b-write-overwrite-approve",
    prepare: (root) => writeFile(path.join(root, "hello.txt"), "old line 1\n"),
    answers: () => [request(write("hello.txt")), say("Wrote it.")],
    acts: [go, approve],
  },
  {
    name: "04-write-cancel",
    answers: () => [request(write("hello.txt")), say("Well."), say("ok, cancelled it")],
    acts: [go, refuse, go],
    onlyOurs: CONTINUES,
  },
  {
    name: "06-replace-approve",
    prepare: (root) => writeFile(path.join(root, "a.txt"), "one\ntwo\nthree\n"),
    answers: (root) => [
      request([
        "replace",
        {
          file_path: path.join(root, "a.txt"),

          old_string: "two",
          new_string: "2",
        },
      ]),
      say("Edited."),
    ],
    acts: [go, approve],
  },
  {
    name: "07-shell-live",
    answers: () => [
      request(shell("echo tick 1; until test -e seen; do sleep 0.05; done")),
      say("Ticked."),
    ],
    onOutput: (root) => writeFile(path.join(root, "seen"), ""),
    acts: [go, approve],
  },
  {
    name: "07b-shell-cancel",
    answers: () => [request(shell("touch made.txt")), say("Well.")],
    acts: [go, refuse],
    onlyOurs: CONTINUES,
  },
  {
    name: "08b-fail-shell-exit",
    answers: () => [request(shell("echo oops >&2; exit 3")), say("Ran it.")],
    acts: [go, approve],
  },
  {
    name: "08c-fail-unknown-tool",
    answers: () => [request(["no_such_tool", { a: 1 }]), say("Sorry.")],
    acts: [go],
  },
  {
    name: "08d-fail-bad-params",
    answers: () => [request(["write_file", { file_path: "x.txt" }]), say("Sorry.")],
    acts: [go],
  },
  {
    name: "09-model-error-400",
    answers: () => [geminiError(400, "fake bad request")],
    acts: [go],
  },
  {
    name: "09f-model-error-then-turn",
    answers: () => [geminiError(400, "fake bad request"), say("recovered")],
    acts: [go, go],
  },
  {
    name: "09d-model-safety",
    answers: () => [
      geminiStream([
        geminiChunk([{ text: "partial " }]),
        geminiChunk([], { finishReason: "SAFETY" }),
      ]),
    ],
    acts: [go],
    // Only our server sends the reason why the model stopped.
    onlyOurs: /"error":"string"/,
  },
  {
    name: "10-cancel-awaiting",
    answers: () => [request(write("hello.txt"))],
    acts: [
      go,
      { type: "call", method: "tasks/cancel" },
      { type: "call", method: "tasks/get" },
      { type: "prompt", text: "are you there" },
    ],
  },
  {
    name: "10b-cancel-streaming",
    answers: () => [thenWait(geminiStream([geminiChunk([{ text: "Thinking" }])]), FOREVER)],
    cancelsAt: "text-content",
    acts: [go, { type: "call", method: "tasks/get" }],
  },
  {
    name: "10c-cancel-shell",
    answers: () => [request(shell("echo started; sleep 1000"))],
    cancelsAt: "artifact-update",
    acts: [go, approve],
    // Only our server reports the shell command as cancelled.
    onlyOurs: /"status":"cancelled"/,
  },
  {
    name: "10d-cancel-unknown",
    answers: () => [],
    acts: [
      { type: "call", method: "tasks/cancel", id: "no-such-task" },
      { type: "call", method: "tasks/get", id: "no-such-task" },
    ],
  },
  {
    name: "11-second-turn",
    answers: () => [say("first answer"), say("second answer")],
    acts: [go, go, { type: "call", method: "tasks/get" }],
  },
  {
    name: "12-auto-execute",
    answers: () => [request(write("auto.txt")), request(shell("cat auto.txt")), say("All done.")],
    acts: [{ ...go, autoExecute: true }],
    // Our server sends no question for a call that needs no approval. Live output depends on timing.
    onlyTheirs: /tool-call-confirmation|artifact-update/,
    onlyOurs: /artifact-update/,
  },
  {
    name: "13-multi-approve-separately",
    answers: () => [request(write("a.txt"), write("b.txt"), write("c.txt")), say("Wrote all.")],
    acts: [go, approve, approve, approve],
  },
  {
    name: "13b-multi-approve-together",
    answers: () => [request(write("a.txt"), write("b.txt")), say("Wrote all.")],
    acts: [go, approve, approve],
  },
  {
    name: "13c-multi-mixed",
    answers: () => [request(write("a.txt"), write("b.txt")), say("Wrote all.")],
    acts: [go, approve, refuse],
  },
  {
    name: "14-citation",
    answers: () => [
      geminiStream([
        geminiChunk([{ text: "Per the source. " }]),
        geminiChunk([{ text: "" }], {
          finishReason: "STOP",
          citationMetadata: { citations: [{ uri: "https://example.com/a", title: "A source" }] },
        }),
      ]),
    ],
    acts: [go],
  },
  {
    name: "15-web-fetch-confirm",
    answers: () => [request(["web_fetch", { url: "https://example.com/" }]), say("Well.")],
    acts: [go, refuse],
    onlyOurs: CONTINUES,
  },
  {
    name: "16-message-send",
    answers: () => [say("hello")],
    acts: [{ type: "send", text: "go" }],
  },
  {
    name: "16b-message-send-confirm",
    answers: () => [request(write("h.txt"))],
    acts: [{ type: "send", text: "go" }],
  },
  {
    name: "21-mcp-confirm",
    flags: { mcpServers: { demo: { command: process.execPath, args: [MCP_SERVER] } } },
    answers: () => [...[1, 2, 3].map((b) => request(["add", { a: 2, b }])), say("Added.")],
    acts: [go, approve, { type: "answer", outcome: "proceed_always_tool" }],
  },
];

test.each(scenarios)(
  "our server's frames have the same shape as in the recording $name",
  async (scenario) => {
    const { onlyTheirs, onlyOurs } = scenario;
    const recorded = readGolden(scenario.name).map((frames) => leaveOut(frames, onlyTheirs));
    await using stage = await openDialectStage(scenario);

    const answers = await playScenario(scenario, stage);

    expect(answers.map((frames) => leaveOut(shapesOf(frames), onlyOurs))).toEqual(
      recorded.map((frames) => leaveOut(frames, onlyOurs)),
    );
    expect(stage.faults).toEqual([]);
  },
);

test("every recording has a scenario", () => {
  const files = readdirSync(new URL("golden", import.meta.url));

  expect(files.sort()).toEqual(scenarios.map(({ name }) => `${name}.jsonl`).sort());
});

function leaveOut(shapes: readonly unknown[], pattern: RegExp | undefined): readonly unknown[] {
  return shapes.filter((shape) => pattern?.test(JSON.stringify(shape)) !== true);
}

type Stage = Awaited<ReturnType<typeof openDialectStage>>;
type Frames = Awaited<ReturnType<Stage["stream"]>>;

/** Runs the acts of a scenario, and returns the frames of each response. */
async function playScenario(scenario: Scenario, stage: Stage): Promise<readonly Frames[]> {
  const answers: Frames[] = [];
  let task: TaskName | undefined;
  for (const act of scenario.acts) {
    const cancelled: Promise<unknown>[] = [];
    const onFrame = async (frame: Frames[number]) => {
      if (frame.kind === "task") task ??= { id: frame.id, contextId: frame.contextId };
      if (frame.kind === "artifact-update") await scenario.onOutput?.(stage.root);
      if ([frame.kind, frame.metadata?.coderAgent?.kind].includes(scenario.cancelsAt ?? "")) {
        cancelled.push(stage.call("tasks/cancel", { id: task?.id }));
      }
    };
    answers.push(await playAct(act, { stage, task, onFrame, asked: answers.at(-1) ?? [] }));
    if (act.type === "send") await onFrame(answers.at(-1)?.[0]);
    if (cancelled[0] !== undefined) answers.push([await cancelled[0]]);
  }
  return answers;
}

interface Playing {
  readonly stage: Stage;
  readonly task: TaskName | undefined;
  /** The frames of the last response, which contain the question that an answer is for. */
  readonly asked: Frames;
  onFrame(frame: Frames[number]): Promise<void>;
}

async function playAct(act: Act, { stage, task, asked, onFrame }: Playing): Promise<Frames> {
  switch (act.type) {
    case "call":
      return [await stage.call(act.method, { id: act.id ?? task?.id })];
    case "answer":
      return await stage.stream(buildAnswer(findAskedCall(asked), act.outcome, task!), onFrame);
    default: {
      const settings = { workspacePath: stage.root, autoExecute: "autoExecute" in act };
      const message = buildPrompt(act.text, task, task ? undefined : settings);
      if (act.type === "send") return [await stage.call("message/send", { message })];
      return await stage.stream(message, onFrame);
    }
  }
}

/** Reads a recording, and returns the frames of each response. */
function readGolden(name: string): readonly (readonly unknown[])[] {
  const file = new URL(`golden/${name}.jsonl`, import.meta.url);
  const [, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const exchanges: unknown[][] = [];
  for (const line of lines) {
    const { frame } = JSON.parse(line) as { readonly frame?: unknown };
    if (frame === undefined) exchanges.push([]);
    else exchanges.at(-1)?.push(frame);
  }
  return exchanges;
}
