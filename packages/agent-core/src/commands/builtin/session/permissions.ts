import type { NumberedAnswer } from "../../../confirmation/remembered-answers.js";
import {
  type Command,
  type CommandCaller,
  CommandError,
  type CommandOutcome,
} from "../../command.js";
import type { CommandServices } from "../../command-services.js";
import { describePolicy } from "../../describe-policy.js";

/** Creates `/permissions`, which lists a session's policy and "always" answers, or removes answers. */
export function createPermissionsCommand({ policy = {} }: CommandServices): Command {
  return {
    name: "permissions",
    description: 'lists the "always" answers of this session, or removes them',
    arguments: [
      {
        name: "change",
        description:
          "remove NUMBER removes one answer; clear removes your answers, or all answers at the host's terminal",
        isRequired: false,
      },
    ],
    check: (args) =>
      parseChange(args) === undefined
        ? `/permissions has no argument ${oneLine(args)}; it has remove NUMBER and clear`
        : undefined,
    runsConcurrently: (args) => parseChange(args)?.type === "list",
    async run({ args, state: { remembered }, caller }) {
      const change = parseChange(args) ?? { type: "list" };
      switch (change.type) {
        case "list":
          return {
            type: "done",
            say: [...describePolicy(policy), listAnswers(remembered)].join("\n"),
          };
        case "clear":
          return forget(remembered.filter((answer) => mayForget(answer, caller)));
        case "remove":
          return forget([getForgettable(change.number, remembered, caller)]);
      }
    },
  };
}

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
  if (remembered.length === 0) return "no answer is remembered; the mode decides which calls ask";
  const lines = remembered.map(describeAnswer);
  return ["/permissions remove NUMBER deletes one of these answers", ...lines].join("\n");
}

/** Describes one answer in a line: its number, what it allows, who gave it, and the call that asked. */
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
    throw new CommandError(`there is no answer ${number}; /permissions lists the answers`);
  }
  if (mayForget(answer, caller)) return answer;
  throw new CommandError(
    `answer ${number} was given by ${oneLine(answer.name)}; only they or the host's terminal can remove it`,
  );
}

function forget(answers: readonly NumberedAnswer[]): CommandOutcome {
  if (answers.length === 0) return { type: "done", say: "there is no answer to remove" };
  return {
    type: "done",
    say: ["removed; these calls ask again", ...answers.map(describeAnswer)].join("\n"),
    effect: { type: "forget-answers", numbers: answers.map(({ number }) => number) },
  };
}

/** Returns true for the user who gave the answer and for the host's terminal, which may remove any answer. */
export function mayForget({ principal }: NumberedAnswer, caller: CommandCaller): boolean {
  return caller.isHost || caller.user === principal;
}

// Joins the lines of a text. Commands and names come from models and clients, and their line breaks must not
// add lines to the list.
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
