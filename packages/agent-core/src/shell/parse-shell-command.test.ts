import { expect, test } from "vitest";
import { parseShellCommand } from "./parse-shell-command.js";

/** Returns the parts as lines, with `?` for computed words and `> file` for writes. */
async function linesOf(command: string): Promise<readonly string[] | undefined> {
  const parts = await parseShellCommand(command);
  return parts?.map(({ program = "?", args, writes }) =>
    [program, ...args.map((arg) => arg ?? "?"), ...writes.map((file) => `> ${file ?? "?"}`)].join(
      " ",
    ),
  );
}

test.each<[string, readonly string[]]>([
  ["git status", ["git status"]],
  ["a; b && c || d & e", ["a", "b", "c", "d", "e"]],
  ["a | b |& c", ["a", "b", "c"]],
  ["a\nb\n\n# c\nd # e", ["a", "b", "d"]],
  ["echo a#b", ["echo a#b"]],
  ["a \\\n  b", ["a b"]],
  ["(a; (b)); { c; d; }", ["a", "b", "c", "d"]],
  ["! a; time -p b", ["a", "b"]],
  ["!(a b)", ["a b"]],
  ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
  ["for x in 1 $(a); do b; done", ["a", "b"]],
  ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
  ["case $(a) in x) b;; y|z) c;& *) d;; esac", ["a", "b", "c", "d"]],
  ["f() { a; }; f x", ["a", "f x"]],
  ["function f { a; }", ["a"]],
  ["coproc a b", ["a b"]],
  ["FOO=1 BAR=2 cmd x", ["cmd x"]],
  ["FOO=$(a) b", ["b", "a"]],
  ["x=(1 $(a))", ["a"]],
  ["[[ -n $(a) ]]", ["a"]],
  ["", []],
  ["# only a comment", []],
  ["x=1", []],
])("every simple command is a part: %j has the parts %j", async (command, parts) => {
  expect(await linesOf(command)).toEqual(parts);
});

test.each<[string, readonly string[]]>([
  ["echo $(a)", ["echo ?", "a"]],
  ['echo "x $(a "$(b)") y"', ["echo ?", "a ?", "b"]],
  ["echo `a \\`b\\``", ["echo ?", "a ?", "b"]],
  ["echo '$(a)' \\$\\(b\\)", ["echo $(a) $(b)"]],
  ['echo "\\$(a)"', ["echo $(a)"]],
  ["cat <(a) >(b)", ["cat ? ?", "a", "b"]],
  ["cat <<E\n$(a) `b`\nE", ["cat", "a", "b"]],
  ["cat <<'E'\n$(a)\nE", ["cat"]],
  ["cat <<\\E\n$(a)\nE\nb", ["cat", "b"]],
  ["cat <<-E\n\t$(a)\n\tE\nb", ["cat", "a", "b"]],
  ["cat <<A <<B\n$(a)\nA\n$(b)\nB\nc", ["cat", "a", "b", "c"]],
  ['cat <<< "$(a)"', ["cat", "a"]],
  [`echo "\${x:-$(a)}" \${y:=\`b\`}`, ["echo ? ?", "a", "b"]],
  [`echo "\${x/$(a)/$(b)}"`, ["echo ?", "a", "b"]],
  ["echo $((1 + $(a)))", ["echo ?", "?", "a"]],
  ["echo x > $(a)", ["echo x > ?", "a"]],
  ["{x,$(a)}", ["?", "a"]],
])("substitutions are found in every position: %j has the parts %j", async (command, parts) => {
  expect(await linesOf(command)).toEqual(parts);
});

test.each<[string, readonly string[]]>([
  ["r\\m x", ["rm x"]],
  ["'r'\"m\" x", ["rm x"]],
  ["$'rm' x", ["rm x"]],
  ["$'\\x72m' x", ["rm x"]],
  ["r\\\nm x", ["rm x"]],
  ["/bin/rm x", ["/bin/rm x"]],
  ["$X y", ["? y"]],
  ['"$@"', ["?"]],
  [`\${X:-rm} y`, ["? y"]],
  ["r? y", ["? y"]],
  ["/bin/[r]m y", ["? y"]],
  ["{rm,y}", ["?"]],
  ["~/rm y", ["? y"]],
  ["rm *.txt ~/y $Z", ["rm ? ? ?"]],
  ["rm 'a b' \"*\" a\\ b", ["rm a b * a b"]],
  ["häßlich 文", ["häßlich 文"]],
  ["a\u00a0b", ["a\u00a0b"]],
])(
  "quoted programs are found, and computed programs are unknown: %j has the parts %j",
  async (command, parts) => {
    expect(await linesOf(command)).toEqual(parts);
  },
);

test.each<[string, readonly string[]]>([
  ["a > x", ["a > x"]],
  ["a >> x 2> 'y z'", ["a > x > y z"]],
  ["a >| x", ["a > x"]],
  ["a &> x; b &>> y", ["a > x", "b > y"]],
  ["a <> x", ["a > x"]],
  ["a >& x", ["a > x"]],
  ["{fd}> x a", ["a > x"]],
  ["> x", [": > x"]],
  ["a > $X > ~/y", ["a > ? > ?"]],
  ["a > /dev/null 2>&1 >&2 2>&- < x", ["a"]],
  ["(a; b) > x", ["a > x", "b"]],
  ["{ :; } > x", [": > x"]],
  ["[[ -f y ]] > x", [": > x"]],
  ["while a; do b; done > x", ["a > x", "b"]],
  ["f() { a; } > x", ["a > x"]],
  ["cat < /dev/tcp/host/80", ["cat > /dev/tcp/host/80"]],
])("redirections that write are listed: %j has the parts %j", async (command, parts) => {
  expect(await linesOf(command)).toEqual(parts);
});

test.each([
  ["a;; b"],
  ["echo 'a"],
  ['echo "$(a"'],
  ["echo `a"],
  ["(a"],
  ["a )"],
  ["if a; then b"],
  ["a | | b"],
  ["a &&"],
  ["bash -c 'a )'"],
  ["git status\r\nrm x"],
  ["echo \u001b[2K"],
  ["echo @(a|b)"],
  ["echo $'a\\'; rm x #'"],
])(
  "parseShellCommand returns undefined for the invalid or ambiguous command %j",
  async (command) => {
    expect(await parseShellCommand(command)).toBeUndefined();
  },
);

test.each([
  ["more than 64 KB", `echo ${"x".repeat(64 * 1024)}`],
  ["thousands of subshells", `${"(".repeat(5000)}a${")".repeat(5000)}`],
  ["thousands of substitutions", `${"$(".repeat(5000)}a${")".repeat(5000)}`],
  ["thousands of quotes in quotes", `${'"$('.repeat(5000)}a${')"'.repeat(5000)}`],
])("parseShellCommand returns undefined for a command with %s", async (_, command) => {
  expect(await parseShellCommand(command)).toBeUndefined();
});

test.each([
  ["x='a[$(rm y)]'; echo $((x))"],
  ["(( x ))"],
  ["((rm x))"],
  ["echo $[x]"],
  [`echo \${a[x]}`],
  [`echo \${x:y}`],
  [`echo \${!x}`],
  [`echo \${x@P}`],
  ["[[ $x -eq 1 ]]"],
  ["[[ -n x || reboot ]]"],
  ["a[x]=1"],
  ["let x"],
  ["unset 'a[$(rm y)]'"],
  ["printf -v 'a[$(rm y)]' x"],
  ["PATH=/tmp/evil git status"],
  ["PATH=/tmp/evil; git status"],
  ["GIT_SSH_COMMAND='rm x' git fetch"],
  ["export LD_PRELOAD=x; git status"],
  ["for PATH in /tmp/evil; do git status; done"],
  ["read PATH < x; git status"],
  [`: \${PATH:=x}`],
  ["alias git=rm"],
  ["source x"],
  [". x"],
])(
  "data that the shell evaluates is reported as a program computed at run time: %j",
  async (command) => {
    const parts = await parseShellCommand(command);

    expect(parts?.map((part) => part.program)).toContain(undefined);
  },
);

test.each([
  ["echo $((1 + 2))"],
  [`echo \${x:0:3} \${x:1} \${a[0]} \${a[@]} \${#x} \${!a[@]} \${x@Q}`],
  ["[[ 1 -eq 2 ]]"],
  ["x=1 y=$z a[0]=1"],
  ["[ -v x ]"],
])(
  "a command with only plain numbers and names runs no program computed at run time: %j",
  async (command) => {
    const parts = await parseShellCommand(command);

    expect(parts?.filter((part) => part.program === undefined)).toEqual([]);
  },
);
