import type { NumberedAnswer } from "../../../confirmation/remembered-answers.js";
import {
  type Command,
  type CommandCaller,
  CommandError,
  type CommandOutcome,
} from "../../command.js";

/** Lists the "always" answers of a session and takes them back. */
export const permissionsCommand: Command = {
  name: "permissions",
  description: 'lists the "always" answers that hold in this session, or takes them back',
  arguments: [
    {
      name: "change",
      description: "remove NUMBER; clear: all of yours, at the host's terminal everyone's",
      isRequired: false,
    },
  ],
  check: (args) =>
    parseChange(args) === undefined
      ? `${oneLine(args)} is no change; there are remove NUMBER and clear`
      : undefined,
  runsConcurrently: (args) => parseChange(args)?.type === "list",
  async run({ args, state: { remembered }, caller }) {
    const change = parseChange(args) ?? { type: "list" };
    switch (change.type) {
      case "list":
        return { type: "done", say: listAnswers(remembered) };
      case "clear":
        return forget(remembered.filter((answer) => mayForget(answer, caller)));
      case "remove":
        return forget([getForgettable(change.number, remembered, caller)]);
    }
  },
};

type Change =
  | { readonly type: "list" | "clear" }
  | { readonly type: "remove"; readonly number: number };

function parseChange(args: string): Change | undefined {
  const [, word, number] = /^(clear|remove\s+(\d{1,9}))?$/.exec(args.trim()) ?? [args];
  if (args.trim() === "") return { type: "list" };
  if (number !== undefined) return { type: "remove", number: Number(number) };
  return word === "clear" ? { type: "clear" } : undefined;
}

function listAnswers(remembered: readonly NumberedAnswer[]): string {
  if (remembered.length === 0) return "no answer is remembered: everything asks as its mode says";
  const lines = remembered.map(describeAnswer);
  return ["/permissions remove takes one of these answers back", ...lines].join("\n");
}

/** One answer on a line: its number, what it covers, what had asked, and who gave it. */
export function describeAnswer({ number, words, asked, name }: NumberedAnswer): string {
  const question = asked === undefined ? "" : `, asked by ${oneLine(asked)}`;
  return `  ${number}. ${oneLine(words)} (given by ${oneLine(name)}${question})`;
}

function getForgettable(
  number: number,
  remembered: readonly NumberedAnswer[],
  caller: CommandCaller,
): NumberedAnswer {
  const answer = remembered.find((each) => each.number === number);
  if (answer === undefined) {
    throw new CommandError(`there is no answer ${number}; /permissions lists them`);
  }
  if (mayForget(answer, caller)) return answer;
  throw new CommandError(
    `answer ${number} was given by ${oneLine(answer.name)}: only they, or the host's terminal, take it back`,
  );
}

function forget(answers: readonly NumberedAnswer[]): CommandOutcome {
  if (answers.length === 0) return { type: "done", say: "there is no answer to take back" };
  return {
    type: "done",
    say: ["taken back; these ask again", ...answers.map(describeAnswer)].join("\n"),
    effect: { type: "forget-answers", numbers: answers.map(({ number }) => number) },
  };
}

/** True if a caller may take an answer back: its own, or any at the host's terminal. */
export function mayForget({ principal }: NumberedAnswer, caller: CommandCaller): boolean {
  return caller.isHost || caller.user === principal;
}

// Commands and names come from models and clients: each stays on the line of its answer.
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
