import { type Command, CommandError } from "../../command.js";
import type { CommandServices } from "../../command-services.js";

/** Creates `/model`, which shows the model or chooses another. */
export function createModelCommand({ currentModel, modelNames }: CommandServices): Command {
  return {
    name: "model",
    description: "shows the model, or chooses another",
    arguments: [{ name: "name", description: "the model to use from now on", isRequired: false }],
    runsConcurrently: (args) => args.trim() === "",
    async run({ args, state }) {
      const name = args.trim();
      const known = modelNames?.();
      const choice = known === undefined ? "" : `; known models: ${known.join(", ")}`;
      if (name === "") {
        const current = state.modelName ?? currentModel();
        return { type: "done", say: `the model is ${current}${choice}` };
      }
      if (known?.includes(name) === false) {
        throw new CommandError(`there is no model called ${name}${choice}`);
      }
      return { type: "done", say: `the model is now ${name}`, effect: { type: "set-model", name } };
    },
  };
}
