import path from "node:path";
import type { ToolCall } from "@dt/schema";
import type { Checkpoint } from "../../checkpoints/checkpoint.js";
import { restoreToolName } from "../../checkpoints/restore-tool.js";
import { type Command, CommandError, type CommandOutcome } from "../command.js";
import type { CommandServices } from "../command-services.js";

/** Lists checkpoints, or undoes edits. */
export function createRestoreCommand({
  checkpoints,
  workspaceRoot,
}: Pick<CommandServices, "checkpoints" | "workspaceRoot">): Command {
  return {
    name: "restore",
    description: "lists the turns whose edits can be undone, or undoes them",
    arguments: [
      {
        name: "turn",
        description: "the first turn whose edits are undone, with all after it",
        isRequired: false,
      },
    ],
    asksFirst: (args) => args.trim() !== "",
    runsConcurrently: (args) => args.trim() === "",
    async run({ args }) {
      if (checkpoints === undefined) throw new CommandError("this session keeps no checkpoints");
      const turn = args.trim();
      if (turn === "")
        return { type: "done", say: describeList(checkpoints.list(), workspaceRoot) };
      if (!/^[1-9]\d{0,8}$/.test(turn)) {
        throw new CommandError(`${turn} is not the number of a turn; /restore lists them`);
      }
      // Whether there is such a turn, and anything to undo, is for the tool to say: after a restart this
      // must come to the same question, whatever was restored in between.
      return {
        type: "ask",
        calls: [{ toolName: restoreToolName, input: { turn: Number(turn) } }],
        next: async ([call]) => conclude(call),
      };
    },
  };
}

function conclude(call: ToolCall | undefined): CommandOutcome {
  const { status, result } = call ?? {};
  if (status === "SUCCEEDED") {
    return { type: "done", say: "the edits are undone; /restore lists how to undo that in turn" };
  }
  if (result?.$case === "error") throw new CommandError(result.value.message);
  return { type: "done", say: "nothing was restored" };
}

function describeList(checkpoints: readonly Checkpoint[], root: string): string {
  if (checkpoints.length === 0) return "no turn has edited a file yet";
  const lines = checkpoints.map(({ turn, at, files }) => {
    const names = files.map((file) => describeFile(file, root)).join(", ");
    return `  ${turn} (${at.slice(0, 16).replace("T", " ")} UTC): ${names}`;
  });
  return [
    "/restore TURN puts files back to what they were before a turn. What shell commands changed is not put back.",
    ...lines,
  ].join("\n");
}

function describeFile({ path: file, was }: Checkpoint["files"][number], root: string): string {
  const relative = path.relative(root, file);
  const isInside = !relative.startsWith("..") && !path.isAbsolute(relative);
  const display = isInside ? relative : file;
  if (was.type === "file") return display;
  return was.type === "absent" ? `${display} (new)` : `${display} (not kept)`;
}
