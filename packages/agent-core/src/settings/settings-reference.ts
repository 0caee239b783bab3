import { MODEL_VARIABLES, type VariableInfo } from "../model/model-variables.js";
import { SETTING_VARIABLES, settingKeyOf } from "./environment-settings.js";
import { policyJsonSchema } from "./policy/policy-schema.js";
import { settingsJsonSchema } from "./settings-schema.js";

/** Documentation of the settings, taken from the tables that the code reads. */
export interface SettingsReference {
  /** JSON Schema of the settings files, with the default of each key. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** JSON Schema of the policy file. */
  readonly policySchema: Readonly<Record<string, unknown>>;
  /** The key that each variable sets, by the name of the variable. */
  readonly settingVariables: Readonly<Record<string, string>>;
  /** Variables that give access to models, by name. */
  readonly modelVariables: Readonly<Record<string, VariableInfo>>;
}

/** Collects the documentation of the settings. */
export function settingsReference(): SettingsReference {
  return {
    schema: settingsJsonSchema(),
    policySchema: policyJsonSchema(),
    settingVariables: Object.fromEntries(
      SETTING_VARIABLES.map((name) => [name, settingKeyOf(name)]),
    ),
    modelVariables: MODEL_VARIABLES,
  };
}
