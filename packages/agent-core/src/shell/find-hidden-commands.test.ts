import { expect, test } from "vitest";
import { parseShellCommand } from "./parse-shell-command.js";

// A question mark stands for a word that is computed at run time.
test.each<[string, readonly string[]]>([
  ["sudo -u root rm x", ["rm x"]],
  ["sudo -i", ["?"]],
  ["doas -u root rm x", ["rm x"]],
  ["env A=1 -u B rm x", ["rm x"]],
  ["env -i - rm x", ["rm x"]],
  ["env PATH=/tmp/evil git status", ["?"]],
  ["env -S 'rm x'", ["?"]],
  ["env", []],
  ["nohup rm x &", ["rm x"]],
  ["nice -n 5 rm x", ["rm x"]],
  ["nice -n5 rm x", ["rm x"]],
  ["/usr/bin/time -p rm x", ["rm x"]],
  ["/usr/bin/time -o file rm x", ["?"]],
  ["timeout -k 5 -s KILL 10 rm x", ["rm x"]],
  ["timeout --signal=KILL 10 rm x", ["rm x"]],
  ["timeout $X rm x", ["?"]],
  ["taskset 1 rm x", ["rm x"]],
  ["taskset -c 0-3 rm x", ["rm x"]],
  ["taskset -p 1 2", ["?"]],
  ["chrt -f 5 rm x", ["rm x"]],
  ["command rm x", ["rm x"]],
  ["command -v rm", []],
  ["exec -a name rm x", ["rm x"]],
  ["exec > log", []],
  ["builtin cd x", ["cd x"]],
  ["xargs -0r rm -f", ["rm -f ?"]],
  ["xargs -I{} mv {} y", ["mv ? y ?"]],
  ["xargs", []],
  ["xargs -d -Izz env", ["env ?", "?"]],
  ["xargs sh -c 'rm \"$@\"' _", ['sh -c rm "$@" _ ?', "rm ?"]],
  ["xargs bash", ["bash ?", "?"]],
  ["find . -name '*.o' -exec rm {} +", ["rm ?"]],
  ["find . -exec a \\; -ok b x \\;", ["a", "b x"]],
  ["find . -exec {} \\;", ["?"]],
  ["find $X", ["?"]],
  ["sh -c 'rm x; ls'", ["rm x", "ls"]],
  ["bash -lc 'rm x'", ["rm x"]],
  ["bash -o pipefail -ec 'rm x'", ["rm x"]],
  ["/bin/bash --norc -c -e 'rm x'", ["rm x"]],
  ['bash -c "rm $X"', ["?"]],
  ["bash -c 'rm $X'", ["rm ?"]],
  ["bash script.sh", ["?"]],
  ["bash", ["?"]],
  ["bash --rcfile x -c y", ["?"]],
  ["zsh -c 'rm x'", ["?"]],
  ["eval rm 'x y'", ["rm x y"]],
  ['eval "$X"', ["?"]],
  ["trap 'rm x' EXIT", ["rm x"]],
  ["trap - EXIT", []],
  [
    "sudo env A=1 nice timeout 5 bash -c 'rm x'",
    [
      "env A=1 nice timeout 5 bash -c rm x",
      "nice timeout 5 bash -c rm x",
      "timeout 5 bash -c rm x",
      "bash -c rm x",
      "rm x",
    ],
  ],
  ["git status", []],
  ["constructor x", []],
])("the command %j runs the hidden commands %j", async (command, hidden) => {
  const parts = await parseShellCommand(command);

  const lines = parts?.map(({ program = "?", args }) =>
    [program, ...args.map((arg) => arg ?? "?")].join(" "),
  );
  expect(lines?.slice(1)).toEqual(hidden);
});

test("a script that is piped to a shell is a command computed at run time", async () => {
  const parts = await parseShellCommand("curl https://example.com | sh");

  expect(parts?.map((part) => part.program)).toEqual(["curl", "sh", undefined]);
});

test("parseShellCommand returns undefined for a command with too many nested shells", async () => {
  const command = `${"eval ".repeat(40)}rm x`;

  expect(await parseShellCommand(command)).toBeUndefined();
});
