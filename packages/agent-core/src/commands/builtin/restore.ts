import path from "node:path";
import type { ToolCall } from "@dt/schema";
import type { Checkpoint } from "../../checkpoints/checkpoint.js";
import { RESTORE_TOOL_NAME } from "../../checkpoints/restore-tool.js";
import { type Command, CommandError, type CommandOutcome } from "../command.js";
import type { CommandServices } from "../command-services.js";

/** Creates `/restore`, which lists checkpoints and undoes edits. */
export function createRestoreCommand({
  checkpoints,
  workspaceRoot,
}: Pick<CommandServices, "checkpoints" | "workspaceRoot">): Command {
  return {
    name: "restore",
    description: "lists the turns with edits that can be undone, or undoes them",
    arguments: [
      {
        name: "turn",
        description: "the first turn to undo; all turns after it are undone too",
        isRequired: false,
      },
    ],
    asksFirst: (args) => args.trim() !== "",
    runsConcurrently: (args) => args.trim() === "",
    async run({ args }) {
      if (checkpoints === undefined) throw new CommandError("this session keeps no checkpoints");
      const turn = args.trim();
      if (turn === "") {
        const { list } = await checkpoints();
        return { type: "done", say: describeList(list(), workspaceRoot) };
      }
      if (!/^[1-9]\d{0,8}$/.test(turn)) {
        throw new CommandError(`"${turn}" is not the number of a turn; /restore lists the turns`);
      }
      // The tool, not the command, checks whether the turn exists. After a restart the command runs
      // again and must ask the same question, even if the checkpoints have changed.
      return {
        type: "ask",
        calls: [{ toolName: RESTORE_TOOL_NAME, input: { turn: Number(turn) } }],
        next: async ([call]) => toOutcome(call),
      };
    },
  };
}

function toOutcome(call: ToolCall | undefined): CommandOutcome {
  const { status, result } = call ?? {};
  if (status === "SUCCEEDED") {
    return { type: "done", say: "the edits are undone; /restore can undo this restore too" };
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
    "/restore TURN restores files to their state before a turn. Changes by shell commands are not undone.",
    ...lines,
  ].join("\n");
}

function describeFile({ path: file, was }: Checkpoint["files"][number], root: string): string {
  const relative = path.relative(root, file);
  const isInside = !relative.startsWith("..") && !path.isAbsolute(relative);
  const display = isInside ? relative : file;
  if (was.type === "file") return display;
  return was.type === "absent" ? `${display} (new)` : `${display} (not saved)`;
}
