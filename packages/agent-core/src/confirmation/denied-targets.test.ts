import { expect, test } from "vitest";
import { parseShellCommand } from "../shell/parse-shell-command.js";
import type { Action } from "../tools/action.js";
import { explainDenial, findDeniedTarget, targetsOf } from "./denied-targets.js";

async function execute(command: string): Promise<Action> {
  return { type: "execute", command, directory: "/w", parts: await parseShellCommand(command) };
}

async function isDenied(refused: Action, command: string): Promise<boolean> {
  return findDeniedTarget([await execute(command)], targetsOf(refused)) !== undefined;
}

const edit: Action = { type: "edit", path: "/w/a.txt", isInside: true };

test.each([
  ["echo x > a.txt"],
  ["echo x >> ./sub/../a.txt"],
  ["sed -i s/a/b/ a.txt"],
  ["rm ./a.txt"],
  ["ls | tee /w/a.txt"],
  ["bash -c 'rm a.txt'"],
  ["cp b a.txt"],
  ["dd if=b of=a.txt"],
  ["sort --output=a.txt b"],
  ["sort -oa.txt b"],
  ["git checkout a.txt"],
  ["cd / && rm w/a.txt"],
  ["cd sub; cd ..; rm a.txt"],
  ['cd "$X" && rm a.txt'],
  ["python3 -c \"open('a.txt', 'w')\""],
  ["$X a.txt"],
  ["rm 'a.txt"],
])("after a rejected edit of /w/a.txt, the command %j is refused", async (command) => {
  expect(await isDenied(edit, command)).toBe(true);
});

test.each([
  ["cat a.txt"],
  ["head -n 3 ./a.txt | grep x"],
  ["cat < a.txt > b.txt"],
  ["rm b.txt"],
  ["rm sub/a.txt"],
  ["git status"],
  ["python3 -c 'print(1)'"],
])("after a rejected edit of /w/a.txt, the command %j is not refused", async (command) => {
  expect(await isDenied(edit, command)).toBe(false);
});

test.each(
  "cat head tail wc stat file ls grep egrep fgrep diff cmp md5sum sha1sum sha256sum test [ cd pwd echo printf true false : sleep which".split(
    " ",
  ),
)("after a rejected edit, %s may read the file, but not write to it", async (program) => {
  expect(await isDenied(edit, `${program} a.txt`)).toBe(false);
  expect(await isDenied(edit, `/usr/bin/${program} a.txt > a.txt`)).toBe(true);
});

test.each([
  ...["env", "command", "exec", "nohup", "nice", "time", "timeout 5", "xargs", "sudo", "eval"],
])(
  "after a rejected edit, %s may run a command that reads the file, but not one that changes it",
  async (wrapper) => {
    expect(await isDenied(edit, `${wrapper} cat a.txt`)).toBe(false);
    expect(await isDenied(edit, `${wrapper} rm a.txt`)).toBe(true);
  },
);

test.each(
  "node deno ruby perl php lua awk gawk mawk nawk tclsh java osascript pwsh powershell cmd rscript jshell groovy tsx ts-node python python3.12 pypy3".split(
    " ",
  ),
)("after a rejected edit, code for %s is refused if it names the file", async (interpreter) => {
  expect(await isDenied(edit, `${interpreter} -e 'write("a.txt")'`)).toBe(true);
  expect(await isDenied(edit, `${interpreter} -e 'write("b.txt")'`)).toBe(false);
});

test("after a rejected edit, another edit of the file is refused, and reading it is allowed", () => {
  const read: Action = { type: "read", path: "/w/a.txt", isInside: true };

  expect(findDeniedTarget([read, edit], targetsOf(edit))).toBe("edit:/w/a.txt");
  expect(findDeniedTarget([read], targetsOf(edit))).toBeUndefined();
});

test.each(
  "rm mv cp ln tee touch truncate install unlink shred dd sed patch chmod chown".split(" "),
)("after a rejected %s of a file, an edit of the same file is refused", async (program) => {
  const refused = await execute(`${program} x a.txt`);

  expect(findDeniedTarget([edit], targetsOf(refused))).toBe("edit:/w/a.txt");
});

test("after a rejected cd and rm, edits of the file in the old and new directories are refused", async () => {
  const refused = await execute("cd one && cd two && rm a.txt");
  const below = (path: string): Action => ({ type: "edit", path, isInside: true });

  for (const file of ["/w/a.txt", "/w/one/a.txt", "/w/one/two/a.txt"])
    expect(findDeniedTarget([below(file)], targetsOf(refused))).toBe(`edit:${file}`);
  expect(findDeniedTarget([below("/w/two/a.txt")], targetsOf(refused))).toBeUndefined();
});

test.each<string[]>([
  ["rm x", "rm x"],
  ["rm x", "rm   'x'"],
  ["rm x", "/bin/rm ./x"],
  ["rm x", 'bash -c "rm x"'],
  ["rm x", "command rm x"],
  ["rm x", "sudo rm /w/x && ls"],
  ["bash -c 'rm x'", "rm x"],
  ["ls && rm x", "rm x"],
  ["git push origin main", "cd sub && git push origin main"],
  ["cat /etc/passwd", "cat /etc/passwd | head"],
  ["echo (", "echo  ( "],
  ["$X y", "$X y"],
  ["$X y && ls x", "ls x"],
  ...["env", "command", "exec", "nohup", "nice", "time", "timeout 5", "sudo", "eval"].map(
    (wrapper) => [`${wrapper} cat x`, "cat x"],
  ),
  ...["sh", "bash", "dash"].map((shell) => [`${shell} -c 'cat x'`, "cat x"]),
  ["xargs cat x", "cat x $Y"],
])("after a rejected %j, the command %j is refused", async (refused = "", command = "") => {
  expect(await isDenied(await execute(refused), command)).toBe(true);
});

test.each([
  ["rm x", "rm y"],
  ["rm x", "ls x"],
  ["ls && rm x", "ls"],
  ["cd sub && git push", "cd sub && git status"],
  ["bash -c 'rm x'", "bash -c 'ls'"],
  ["$X y", "$Z"],
  ["git push", "$X; echo git push"],
  ["ls -l", "ls ./-l"],
])("after a rejected %j, the command %j is not refused", async (refused, command) => {
  expect(await isDenied(await execute(refused), command)).toBe(false);
});

test.each([["echo x > a.txt"], ["rm a.txt"], ["sed -i s/a/b/ ./a.txt"]])(
  "after a rejected %j, an edit of the file a.txt is refused",
  async (command) => {
    expect(findDeniedTarget([edit], targetsOf(await execute(command)))).toBe("edit:/w/a.txt");
  },
);

test("after a rejected read, a command that reads the same file is refused", async () => {
  const read: Action = { type: "read", path: "/etc/shadow", isInside: false };

  expect(await isDenied(read, "cat /etc/shadow")).toBe(true);
  expect(await isDenied(read, "cat /etc/hosts")).toBe(false);
});

test("after a rejected fetch, a fetch and a command with the same URL are refused", async () => {
  const fetch: Action = { type: "fetch", url: "https://Example.com/a#top" };

  expect(
    findDeniedTarget([{ type: "fetch", url: "https://example.com/a" }], targetsOf(fetch)),
  ).toBe("fetch:https://example.com/a");
  expect(await isDenied(fetch, "curl -s https://example.com/a")).toBe(true);
  expect(await isDenied(fetch, "curl -s https://example.com/b")).toBe(false);
});

test("a rejected MCP call denies the same tool, and an `other` action the same name and target", () => {
  const mcp: Action = { type: "mcp", serverName: "s", toolName: "t" };
  const other: Action = { type: "other", name: "n", target: "x" };
  const denied = [mcp, other].flatMap(targetsOf);

  expect(findDeniedTarget([mcp], denied)).toBeDefined();
  expect(findDeniedTarget([other], denied)).toBeDefined();
  expect(findDeniedTarget([{ ...mcp, toolName: "u" }], denied)).toBeUndefined();
  expect(findDeniedTarget([{ ...other, target: "y" }], denied)).toBeUndefined();
});

test("the targets of a command are its text, its parts that do more than read, and changed files", async () => {
  const refused = await execute(
    "cd  sub && ls q && git add -A b >out $Z && cp -tc x=d $Z; $Z e >f",
  );

  expect(targetsOf(refused)).toEqual([
    "text:cd sub && ls q && git add -A b >out $Z && cp -tc x=d $Z; $Z e >f",
    'command:["git","add","-A","b",null]',
    'command:["git","/w/add","-A","/w/b",null]',
    'command:["cp","-tc","x=d",null]',
    'command:["cp","-tc","/w/x=d",null]',
    ...["-tc", "c", "x=d", "d", "out", "f"].flatMap((file) => [
      `edit:/w/${file}`,
      `edit:/w/sub/${file}`,
    ]),
  ]);
  expect(
    targetsOf({ type: "execute", command: " rm '", directory: "/w", parts: undefined }),
  ).toEqual(["text:rm '"]);
});

test("an invalid URL is compared as text", () => {
  const fetch = (url: string): Action => ({ type: "fetch", url });

  expect(targetsOf(fetch("no address#x"))).toEqual(["fetch:no address#x"]);
  expect(findDeniedTarget([fetch("no address")], ["fetch:no address#x"])).toBeUndefined();
});

test("nothing is refused if nothing was rejected before", async () => {
  expect(findDeniedTarget([edit, await execute("rm x")], [])).toBeUndefined();
});

test.each([
  ["edit:/w/a.txt", "a change of /w/a.txt"],
  ["read:/w/a.txt", "a read of /w/a.txt"],
  ["edit:/etc/a", "a change of this file"],
  ["read:/etc/a", "a read of this file"],
  ["fetch:https://example.com/", "a request to https://example.com/"],
  ['command:["rm","-f",null]', "the command rm -f …"],
  ["text:$X y", "this command"],
  ['mcp:["s","t"]', "the call s t"],
])("the explanation of the denied target %j names %s", (target, what) => {
  expect(explainDenial(target, { actions: [], root: "/w" })).toBe(
    `the person rejected ${what} in this turn; do not try it in another way: continue without it, or ask the person`,
  );
});

test("the explanation names no file if a path of the call is outside the workspace [SEC-06]", () => {
  const action: Action = { type: "read", path: "/w/a.txt", isInside: false };

  expect(explainDenial("read:/w/a.txt", { actions: [action], root: "/w" })).toContain(
    "rejected a read of this file in this turn",
  );
});
