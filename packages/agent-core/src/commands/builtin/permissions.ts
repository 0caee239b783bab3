import type { NumberedAnswer } from "../../confirmation/remembered-answers.js";
import {
  type Command,
  type CommandCaller,
  CommandError,
  type CommandInvocation,
  type CommandOutcome,
} from "../command.js";

/** Lists the "always" answers of a session and takes them back. */
export const permissionsCommand: Command = {
  name: "permissions",
  description: 'the "always" answers that hold in this session',
  run: async ({ state: { remembered } }) => ({
    type: "done",
    say:
      remembered.length === 0
        ? "no answer is remembered: everything asks as its mode says"
        : [
            "/permissions remove takes one of these answers back",
            ...remembered.map(describeAnswer),
          ].join("\n"),
  }),
  subCommands: [
    {
      name: "remove",
      description: "takes one answer back",
      arguments: [{ name: "number", description: "its number in /permissions", isRequired: true }],
      check: (args) =>
        /^\d{1,9}$/.test(args.trim())
          ? undefined
          : `${args.trim()} is not a number of /permissions`,
      run: remove,
    },
    {
      name: "clear",
      description: "takes all of your answers back; at the host's terminal, everyone's",
      run: async ({ state: { remembered }, caller }) =>
        forget(remembered.filter((answer) => mayForget(answer, caller))),
    },
  ],
};

/** One answer on a line: its number, what it covers, what had asked, and who gave it. */
export function describeAnswer({ number, words, asked, name }: NumberedAnswer): string {
  const question = asked === undefined ? "" : `, asked by ${oneLine(asked)}`;
  return `  ${number}. ${oneLine(words)} (given by ${oneLine(name)}${question})`;
}

async function remove({ args, state, caller }: CommandInvocation): Promise<CommandOutcome> {
  const number = Number(args.trim());
  const answer = state.remembered.find((each) => each.number === number);
  if (answer === undefined) {
    throw new CommandError(`there is no answer ${number}; /permissions lists them`);
  }
  if (!mayForget(answer, caller)) {
    throw new CommandError(
      `answer ${number} was given by ${oneLine(answer.name)}: only they, or the host's terminal, take it back`,
    );
  }
  return forget([answer]);
}

function forget(answers: readonly NumberedAnswer[]): CommandOutcome {
  if (answers.length === 0) return { type: "done", say: "there is no answer to take back" };
  return {
    type: "done",
    say: ["taken back; these ask again", ...answers.map(describeAnswer)].join("\n"),
    effect: { type: "forget-answers", numbers: answers.map(({ number }) => number) },
  };
}

function mayForget({ principal }: NumberedAnswer, caller: CommandCaller): boolean {
  return caller.isHost || caller.principal === principal;
}

// Commands and names come from models and clients: each stays on the line of its answer.
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
