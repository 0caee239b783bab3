import path from "node:path";

/**
 * Variables that programs need and that contain no secrets. Windows spells some of them in mixed case.
 */
const HARMLESS_NAMES = new Set(
  [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP CI",
    "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR",
    "JAVA_HOME GOPATH GOROOT CARGO_HOME RUSTUP_HOME NVM_DIR PNPM_HOME BUN_INSTALL VOLTA_HOME",
    "PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX GEM_HOME ANDROID_HOME DOTNET_ROOT",
    "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR",
    "SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME HOMEDRIVE HOMEPATH",
    "APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE",
  ].flatMap((names) => names.split(" ")),
);

/**
 * Prefixes of other harmless variables. `LC_…` are locales. `DT_PROCESS_…` is the mark by which the
 * processes of a nested agent are found and ended.
 */
const HARMLESS_PREFIXES = /^(LC_|DT_PROCESS_)/;

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE/i;

/**
 * Value of `PATH` for child processes if `PATH` contains no absolute directory. With an empty `PATH`,
 * shells would use another default.
 */
const USUAL_PATH = ["/usr/local/bin", "/usr/bin", "/bin"].join(path.delimiter);

/** Matches a URL with a user name or password in it. */
const URL_WITH_USER = /^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i;

/** Variables that keep programs from paging, drawing on a terminal or asking for a password. */
const FIXED: Readonly<Record<string, string>> = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

/** Cached results by environment object. All sessions of an app have the same environment object. */
const CLEANED = new WeakMap<Environment, Readonly<Record<string, string>>>();

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Builds the environment of a child process from variables that are known to be harmless. Without
 * `keep`, the result is cached for each `environment` object, which must not change afterwards.
 *
 * `keep` lists the names of other variables that the user wants to pass on, whatever they are called
 * (SEC-05).
 */
export function cleanEnvironment(
  environment: Environment,
  keep?: readonly string[],
): Readonly<Record<string, string>> {
  if (keep !== undefined) return buildCleanEnvironment(environment, keep);
  const clean = CLEANED.get(environment) ?? buildCleanEnvironment(environment, []);
  CLEANED.set(environment, clean);
  return clean;
}

function buildCleanEnvironment(
  environment: Environment,
  keep: readonly string[],
): Readonly<Record<string, string>> {
  const clean: Record<string, string> = { ...FIXED };
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (keep.includes(name) || isHarmless(name, value)))
      clean[name] = name === "PATH" ? absoluteEntries(value) : value;
  }
  return clean;
}

/**
 * Drops relative and empty entries of `PATH`, because with them a program in the current directory
 * could run instead of the wanted program.
 */
function absoluteEntries(searchPath: string): string {
  const entries = searchPath.split(path.delimiter).filter(path.isAbsolute);
  return entries.length > 0 ? entries.join(path.delimiter) : USUAL_PATH;
}

/** True if child processes get this variable even if the user did not ask for it. */
export function isKeptByDefault(name: string): boolean {
  return isHarmlessName(name) || Object.hasOwn(FIXED, name);
}

function isHarmless(name: string, value: string): boolean {
  return isHarmlessName(name) && !SECRET_NAME.test(name) && !URL_WITH_USER.test(value);
}

function isHarmlessName(name: string): boolean {
  return HARMLESS_NAMES.has(name.toUpperCase()) || HARMLESS_PREFIXES.test(name);
}
