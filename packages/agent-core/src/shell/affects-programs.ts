const EXACT = new Set([
  ...["PATH", "IFS", "ENV", "HOME", "CDPATH", "GLOBIGNORE", "SHELLOPTS", "PROMPT_COMMAND"],
  ...["VISUAL", "BROWSER", "CC", "CXX", "LD", "AR", "TMPDIR", "NODE_PATH", "NODE_OPTIONS"],
  ...["NODE_V8_COVERAGE", "NODE_REPL_EXTERNAL_MODULE", "ELECTRON_RUN_AS_NODE", "MAKEFILES"],
  ...["CLASSPATH", "LUA_INIT", "PHPRC", "PHP_INI_SCAN_DIR", "ZDOTDIR", "FPATH", "INPUTRC"],
  ...["PSMODULEPATH", "PATHEXT", "COMSPEC", "GLIBC_TUNABLES", "DOTNET_STARTUP_HOOKS"],
]);

const FAMILIES =
  /^(BASH|LD_|DYLD_|GIT_|LESS|NPM_|PNPM_|YARN_|PYTHON|PERL|RUBY|GEM_|BUNDLE_|JAVA|_JAVA|JDK_|MAVEN_|GRADLE_|CARGO|RUST|GO(?!OGLE)[A-Z]|OPENSSL_|PYTEST_|CORECLR_|COR_|DENO_|BUN_|R_PROFILE|JULIA_|DOCKER|KUBE|SSH_|SUDO_|XDG_|PIP_|UV_|PS[0-4]$)/;
const ENDINGS = /(PAGER|EDITOR|SHELL|ASKPASS|FLAGS|_OPTIONS|_OPTS|_COMMAND|_CMD|_WRAPPER|_PATH)$/;

// These variables match the patterns above, but they control only output or the location of data.
const HARMLESS = /^(PYTHON(UNBUFFERED|IOENCODING|UTF8|DONTWRITEBYTECODE)|RUST_(LOG|BACKTRACE))$/;
const DATA_PATHS = /_(FILE|DB|DATABASE|LOG|DATA)_PATH$/;

/** True if setting this variable can change which program a name starts, or what a program runs. */
export function affectsPrograms(name: string): boolean {
  const upper = name.toUpperCase();
  if (HARMLESS.test(upper)) return false;
  if (EXACT.has(upper) || FAMILIES.test(upper)) return true;
  return ENDINGS.test(upper) && !DATA_PATHS.test(upper);
}
