import { expect, test } from "vitest";
import {
  type AgentCommand,
  createAgentCommandRegistry,
  fromAgentCommand,
} from "./agent-command.js";
import type { CommandInvocation } from "./command.js";

const run = async (execute: AgentCommand["execute"], args = "") => {
  const command = fromAgentCommand({ name: "mine", description: "", execute });
  const invocation = { args, caller: { user: "ada", isHost: false } } as CommandInvocation;
  return await command.run?.(invocation);
};

test("the example command of the server reference is registered and executed [SRV-12]", async () => {
  const commandRegistry = createAgentCommandRegistry();
  commandRegistry.register({
    name: "my-command",
    description: "Custom command",
    execute: async (_context, _args) => {
      return { success: true, output: "Command executed" };
    },
  });

  expect(await commandRegistry.execute("my-command", [])).toEqual({
    success: true,
    output: "Command executed",
  });
  expect(commandRegistry.commands().map(({ name }) => name)).toEqual(["my-command"]);
});

test("register refuses a name that is taken, and execute refuses an unknown name [SRV-12]", async () => {
  const command = { name: "a", description: "", execute: async () => ({ success: true }) };
  const registry = createAgentCommandRegistry();
  registry.register(command);

  expect(() => registry.register(command)).toThrow("there is already a command called a");
  await expect(registry.execute("b", [])).rejects.toThrow("there is no command called b");
});

test("the arguments of a command are split at spaces outside quotes [SRV-12]", async () => {
  const outcome = await run(
    async (_, args) => ({ success: true, output: args.join("|") }),
    ` one "two three" 'four five'  six `,
  );

  expect(outcome).toEqual({ type: "done", say: "one|two three|four five|six" });
});

test.each([
  [
    { success: true, output: "done" },
    { type: "done", say: "done" },
  ],
  [{ success: true }, { type: "done" }],
  [{ extensions: [] }, { type: "done", say: '{\n  "extensions": []\n}' }],
])(
  "the result %j becomes a successful outcome of the command [SRV-12]",
  async (result, outcome) => {
    expect(await run(async () => result)).toEqual(outcome);
  },
);

test.each([
  [{ success: false, output: "no disk" }, "no disk"],
  [{ success: false }, "mine failed"],
])("the result %j fails the command [SRV-12]", async (result, reason) => {
  await expect(run(async () => result)).rejects.toThrow(reason);
});
