const exact = new Set([
  ...["PATH", "IFS", "ENV", "HOME", "CDPATH", "GLOBIGNORE", "SHELLOPTS", "PROMPT_COMMAND"],
  ...["VISUAL", "BROWSER", "CC", "CXX", "LD", "AR", "TMPDIR", "NODE_PATH", "NODE_OPTIONS"],
]);

const families =
  /^(BASH|LD_|DYLD_|GIT_|LESS|NPM_|PNPM_|YARN_|PYTHON|PERL|RUBY|GEM_|BUNDLE_|JAVA|_JAVA|JDK_|MAVEN_|GRADLE_|CARGO|RUST|GO[A-Z]|DOCKER|KUBE|SSH_|SUDO_|XDG_|PIP_|UV_|PS[0-4]$)/;
const endings = /(PAGER|EDITOR|SHELL|ASKPASS|FLAGS|_OPTIONS|_OPTS|_COMMAND|_CMD|_WRAPPER|_PATH)$/;

/** Whether setting a variable can change which program a known name starts, or what it runs. */
export function steersPrograms(name: string): boolean {
  const upper = name.toUpperCase();
  return exact.has(upper) || families.test(upper) || endings.test(upper);
}
