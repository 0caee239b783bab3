import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { geminiChunk, geminiError, geminiStream } from "@dt/agent-core/testing";
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
} from "./open-dialect-stage.js";
import { shapesOf } from "./shape.js";

// The golden files are recordings of gemini-cli's a2a-server 0.25.2, reduced to their shape. Updates that repeat a
// finished call are left out, because they tell a client nothing. Our server plays the same scenarios.

/** An act of the client, in the order of the recording. */
type Act =
  | { readonly type: "prompt"; readonly text: string; readonly autoExecute?: true }
  | { readonly type: "send"; readonly text: string }
  | { readonly type: "answer"; readonly outcome: string }
  | { readonly type: "call"; readonly method: string };

interface Scenario extends DialectStageOptions {
  readonly name: string;
  readonly acts: readonly Act[];
}

const go = { type: "prompt", text: "go" } as const;
const approve = { type: "answer", outcome: "proceed_once" } as const;
const refuse = { type: "answer", outcome: "cancel" } as const;
const write = (file: string, content = `content of ${file}\n`) =>
  ["write_file", { file_path: file, content }] as const;
const shell = (command: string) => ["run_shell_command", { command, description: "run" }] as const;

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
    name: "06-replace-approve",
    prepare: (root) => writeFile(path.join(root, "a.txt"), "one\ntwo\nthree\n"),
    answers: (root) => [
      request([
        "replace",
        {
          file_path: path.join(root, "a.txt"),
          instruction: "2",
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
      request(shell("for i in 1 2 3 4 5 6; do echo tick $i; sleep 0.25; done")),
      say("Ticked."),
    ],
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
    name: "11-second-turn",
    answers: () => [say("first answer"), say("second answer")],
    acts: [go, go, { type: "call", method: "tasks/get" }],
  },
  {
    name: "12-auto-execute",
    answers: () => [request(write("auto.txt")), request(shell("cat auto.txt")), say("All done.")],
    acts: [{ ...go, autoExecute: true }],
  },
  {
    name: "13-multi-approve-separately",
    answers: () => [request(write("a.txt"), write("b.txt"), write("c.txt")), say("Wrote all.")],
    acts: [go, approve, approve, approve],
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
    name: "16-message-send",
    answers: () => [say("hello")],
    acts: [{ type: "send", text: "go" }],
  },
  {
    name: "16b-message-send-confirm",
    answers: () => [request(write("h.txt"))],
    acts: [{ type: "send", text: "go" }],
  },
];

test.each(scenarios)(
  "our server answers $name in the recorded shape [SRV-02]",
  async (scenario) => {
    const recorded = readGolden(scenario.name);
    await using stage = await openDialectStage(scenario);

    const answers = await playScenario(scenario.acts, stage);

    expect(answers.map(shapesOf)).toEqual(recorded);
    expect(stage.faults).toEqual([]);
  },
);

type Stage = Awaited<ReturnType<typeof openDialectStage>>;

async function playScenario(acts: readonly Act[], stage: Stage) {
  const answers: (readonly unknown[])[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: frames are foreign JSON.
  let frames: readonly any[] = [];
  let task: { id: string; contextId: string } | undefined;
  for (const act of acts) {
    const settings = {
      workspacePath: stage.root,
      ...("autoExecute" in act && { autoExecute: true }),
    };
    if (act.type === "call") frames = [await stage.call(act.method, { id: task?.id })];
    else if (act.type === "answer")
      frames = await stage.stream(buildAnswer(findAskedCall(frames), act.outcome, task!));
    else {
      const message = buildPrompt(act.text, task, task ? undefined : settings);
      frames =
        act.type === "send"
          ? [await stage.call("message/send", { message })]
          : await stage.stream(message);
    }
    const [first] = frames;
    if (first?.kind === "task") task ??= { id: first.id, contextId: first.contextId };
    answers.push(frames);
  }
  return answers;
}

/** Reads a recording: the frames that answered each request. */
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
