import { FaultySetup } from "../errors/setup-fault.js";

const choices = {
  version: ["1.0", "0.3"],
  transport: ["sse", "websocket", "auto"],
  dialect: ["canonical", "gemini"],
} as const;

/** What a program without types may have misspelt is not taken for something else. */
export function checkChoices(options: { readonly [Name in keyof typeof choices]?: unknown }): void {
  for (const [name, known] of Object.entries(choices)) {
    const given: unknown = options[name as keyof typeof choices];
    if (given === undefined || known.some((choice) => choice === given)) continue;
    throw new FaultySetup({ type: "choice", name, given, known });
  }
}
