import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { openLocalRegistry } from "./local-registry.js";
import { LIBRARIES, root } from "./repository.js";

const execute = promisify(execFile);
const bin = (name: string) => path.join(root, "node_modules/.bin", name);

const COMPILER_OPTIONS = {
  target: "es2023",
  lib: ["es2023", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  declaration: true,
  types: ["node"],
};

/** A user's project in which the libraries are installed from their tarballs. */
export interface ConsumerProject extends Disposable {
  readonly directory: string;
  /** Paths in the tarball of each library, without the leading `package/`. */
  readonly tarballs: ReadonlyMap<string, readonly string[]>;
  write(file: string, text: string): void;
  /** Runs a file of the project with Node. Returns its stdout. */
  node(file: string, ...args: readonly string[]): Promise<string>;
  /** Type-checks files of the project and the declarations that they import. Returns the errors. */
  typecheck(files: readonly string[]): Promise<string>;
  /** Creates a nested project in which @dt/schema is installed below @dt/client. */
  nest(folder: string): void;
}

/** Packs the libraries as for publishing and installs them with npm into an empty directory. */
export async function openConsumerProject(): Promise<ConsumerProject> {
  const scratch = mkdtempSync(path.join(tmpdir(), "dt-consumer-"));
  const directory = path.join(scratch, "project");
  const home = path.join(scratch, "home");
  const run = async (program: string, args: readonly string[]) =>
    (
      await execute(program, args, {
        cwd: directory,
        env: plainEnvironment(home),
        timeout: 900_000,
      })
    ).stdout;
  try {
    mkdirSync(directory);
    mkdirSync(home);
    const files = await Promise.all(LIBRARIES.map((library) => pack(library, scratch)));
    writeFileSync(path.join(directory, "package.json"), '{ "name": "consumer", "private": true }');
    await install(files, run);
    const contents = await Promise.all(files.map(list));
    const write = (file: string, text: string) => writeFileSync(path.join(directory, file), text);
    return {
      directory,
      tarballs: new Map(LIBRARIES.map((library, index) => [library, contents[index] ?? []])),
      write,
      node: (file, ...args) => run(process.execPath, [file, ...args]),
      typecheck: (files) => {
        write("tsconfig.json", JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
        return run(bin("tsc"), ["-p", "."]).catch(errorsOf);
      },
      nest(folder) {
        const client = path.join(directory, folder, "node_modules/@dt/client");
        const installed = path.join(directory, "node_modules/@dt");
        cpSync(path.join(installed, "client"), client, { recursive: true });
        const schema = path.join(client, "node_modules/@dt/schema");
        cpSync(path.join(installed, "schema"), schema, { recursive: true });
      },
      [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw error;
  }
}

async function pack(library: string, destination: string): Promise<string> {
  const { stdout } = await execute(
    bin("pnpm"),
    ["pack", "--json", "--pack-destination", destination],
    { cwd: path.join(root, "packages", library) },
  );
  const { filename } = JSON.parse(stdout) as { readonly filename: string };
  return path.resolve(destination, filename);
}

async function list(tarball: string): Promise<string[]> {
  const { stdout } = await execute("tar", ["-tzf", tarball]);
  return stdout
    .trim()
    .split("\n")
    .map((file) => file.replace("package/", ""));
}

async function install(
  tarballs: readonly string[],
  run: (program: string, args: readonly string[]) => Promise<string>,
): Promise<void> {
  await using registry = await openLocalRegistry(path.join(root, "node_modules/.pnpm"));
  const options = ["--registry", registry.url, "--ignore-scripts", "--no-audit", "--no-fund"];
  // npm retries, because a request may fail on a busy machine.
  options.push(
    "--fetch-retries",
    "3",
    "--fetch-retry-mintimeout",
    "100",
    "--fetch-timeout",
    "600000",
  );
  // The checked programs use Node's types.
  await run("npm", ["install", ...options, ...tarballs, "@types/node"]);
}

// Returns an environment without npm settings of the machine, the user or the npm that runs the tests.
function plainEnvironment(home: string): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, ComSpec } = process.env;
  return {
    PATH,
    SystemRoot,
    ComSpec,
    HOME: home,
    USERPROFILE: home,
    TMPDIR: home,
    npm_config_cache: path.join(home, "npm-cache"),
    npm_config_userconfig: path.join(home, "npmrc"),
    npm_config_globalconfig: path.join(home, "global-npmrc"),
    npm_config_update_notifier: "false",
  };
}

function errorsOf(error: { readonly stdout?: string }): string {
  if (!error.stdout) throw error;
  return error.stdout;
}
