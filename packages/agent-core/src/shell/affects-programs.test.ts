import { expect, test } from "vitest";
import { affectsPrograms } from "./affects-programs.js";

test.each([
  ...["PATH", "path", "NODE_OPTIONS", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PYTHONPATH"],
  ...["PYTHONSTARTUP", "BASH_ENV", "GIT_SSH_COMMAND", "npm_config_script_shell", "GOFLAGS"],
  ...["MAKEFILES", "PYTEST_ADDOPTS", "OPENSSL_CONF", "RIPGREP_CONFIG_PATH", "RUSTC_WRAPPER"],
])("setting %s can change which program runs", (name) => {
  expect(affectsPrograms(name)).toBe(true);
});

test.each([
  ...["NODE_ENV", "CI", "DEBUG", "GOOGLE_API_KEY", "GITHUB_TOKEN", "PYTHONUNBUFFERED"],
  ...["RUST_LOG", "MEMORY_FILE_PATH"],
])("setting %s cannot change which program runs", (name) => {
  expect(affectsPrograms(name)).toBe(false);
});
