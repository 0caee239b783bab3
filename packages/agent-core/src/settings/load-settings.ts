import path from "node:path";
import type { McpServerSource, ServerPolicy } from "@dt/schema";
import { limitsMoney } from "./budget/budget-settings.js";
import { type Environment, environmentSettings } from "./environment-settings.js";
import type { MayExist } from "./files/directory-listing.js";
import { createFileCache, type FileCache, type StampedFile } from "./files/file-cache.js";
import { findFileStats, readBounded } from "./files/read-bounded.js";
import { type ParsedSettings, parseSettingsFile } from "./parse-settings-file.js";
import { type Narrowed, narrowSettings } from "./policy/narrow-settings.js";
import { mergeSettings, type Settings } from "./settings.js";
import { SettingsError, type SettingsFault } from "./settings-error.js";
import { describeUntrusted } from "./trust.js";

/** Options of {@link loadSettings}. */
export interface LoadSettingsOptions {
  /** Settings from the command line; they override everything else. */
  readonly flags?: Settings;
  readonly environment: Environment;
  /** The person's home directory. */
  readonly home: string;
  readonly workspace: string;
  /** True if the person trusts the workspace. Settings of an untrusted workspace are ignored. */
  readonly isTrusted: boolean;
  /** Returns false for files that are known not to exist. Default: every file may exist. */
  readonly mayExist?: MayExist;
  /** File with the defaults of every session. All other sources override it. */
  readonly defaultsFile?: string | undefined;
  /** Limits that no source can loosen. Default: no limits. */
  readonly policy?: ServerPolicy | undefined;
}

/** The effective settings and their sources. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** The files that were used, in order of priority, highest first. */
  readonly sources: readonly string[];
  /** Files and keys that were ignored, keys that are dangerous, and variables that are not set. */
  readonly warnings: readonly SettingsFault[];
}

/**
 * Reads and merges all settings. The order of priority, highest first, is: flags, variables, dt's file in the
 * workspace, dt's file of the person, Gemini CLI's file in the workspace, Gemini CLI's file of the person, the
 * file with the defaults. Settings that the policy forbids are left out of each file, with a warning.
 * Throws {@link SettingsError} if a variable or one of dt's own files is invalid, or if any file cannot be
 * read or is not YAML.
 */
export async function loadSettings(options: LoadSettingsOptions): Promise<LoadedSettings> {
  const layers: SettingsLayer[] = [];
  const sources: string[] = [];
  const warnings: SettingsFault[] = [];
  const { mayExist = () => true, policy = {} } = options;
  const candidates = findCandidates(options).filter(({ file }) => mayExist(file));
  const stats = await Promise.all(candidates.map(({ file }) => findFileStats(file)));
  for (const [index, candidate] of candidates.entries()) {
    const stamp = stats[index];
    if (stamp === undefined) continue;
    if (candidate.isOfWorkspace && !options.isTrusted) {
      warnings.push({
        file: candidate.file,
        key: "",
        problem: describeUntrusted(options.workspace),
      });
      continue;
    }
    const parsed = await readSettings({ ...candidate, stats: stamp }, options.environment);
    const origin = { file: candidate.file, source: toServerSource(candidate) };
    const narrowed = narrowSettings(parsed.settings, policy, origin);
    const own = withoutSandbox(narrowed.value, candidate);
    layers.push({ settings: own.value, isOfWorkspace: candidate.isOfWorkspace });
    sources.push(candidate.file);
    warnings.push(...parsed.warnings, ...narrowed.warnings, ...own.warnings);
  }
  const above = [options.flags ?? {}, environmentSettings(options.environment)];
  return { settings: mergeLayers(above, layers), sources, warnings };
}

/**
 * Removes the key `sandbox` from a workspace's settings, because a command could write the file and so
 * open its own sandbox.
 */
function withoutSandbox(
  settings: Settings,
  { file, isOfWorkspace }: SettingsSource,
): Narrowed<Settings> {
  const { sandbox, ...others } = settings;
  if (sandbox === undefined || !isOfWorkspace) return { value: settings, warnings: [] };
  const problem = "is ignored, because the settings of a workspace cannot change the sandbox";
  return { value: others, warnings: [{ file, key: "sandbox", problem }] };
}

interface SettingsLayer {
  readonly settings: Settings;
  readonly isOfWorkspace: boolean;
}

/**
 * Merges flags and variables with the settings of files. If the person limits money, the prices of a workspace are
 * ignored, because a lower price would let the agent use more tokens.
 */
function mergeLayers(above: readonly Settings[], files: readonly SettingsLayer[]): Settings {
  const own = files.filter(({ isOfWorkspace }) => !isOfWorkspace);
  const { budget } = mergeSettings([...above, ...own.map(({ settings }) => settings)]);
  const isMoneyLimited = budget !== undefined && limitsMoney(budget);
  const layers = files.map(({ settings, isOfWorkspace }) => {
    if (!isOfWorkspace || !isMoneyLimited) return settings;
    const { prices: _, ...others } = settings;
    return others;
  });
  return mergeSettings([...above, ...layers]);
}

interface SettingsSource {
  readonly file: string;
  readonly isOfWorkspace: boolean;
  readonly isForeign: boolean;
}

function toServerSource({ isOfWorkspace }: SettingsSource): McpServerSource {
  return isOfWorkspace ? "workspaces" : "host";
}

function findCandidates({
  home,
  workspace,
  defaultsFile,
}: LoadSettingsOptions): readonly SettingsSource[] {
  const ours = path.join(home, ".config", "dt", "config.yaml");
  const gemini = path.join(home, ".config", "gemini-cli", "config.yaml");
  return [
    { file: path.join(workspace, ".dt", "config.yaml"), isOfWorkspace: true, isForeign: false },
    { file: ours, isOfWorkspace: false, isForeign: false },
    { file: path.join(workspace, ".gemini", "config.yaml"), isOfWorkspace: true, isForeign: true },
    { file: gemini, isOfWorkspace: false, isForeign: true },
    ...(defaultsFile === undefined
      ? []
      : [{ file: defaultsFile, isOfWorkspace: false, isForeign: false }]),
  ];
}

/** Parsed files. There is one cache for each environment, because its variables are inserted into the settings. */
const PARSED = new WeakMap<Environment, FileCache<ParsedSettings>>();

async function readSettings(
  source: SettingsSource & StampedFile,
  environment: Environment,
): Promise<ParsedSettings> {
  const cache = PARSED.get(environment) ?? createFileCache<ParsedSettings>();
  PARSED.set(environment, cache);
  const known = cache.find([source]);
  if (known !== undefined) return known;
  const text = await readBounded(source);
  const parsed = await parseSettingsFile({ ...source, text }, environment);
  cache.set([source], parsed);
  return parsed;
}
