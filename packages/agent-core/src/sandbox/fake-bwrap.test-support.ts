import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** Runs the program after `--`. Obeys only the option `--chdir`. Sets the variable `FAKE_SANDBOX`. */
const PASSING = `#!/bin/sh
while [ "$1" != -- ]; do
  if [ "$1" = --chdir ]; then cd "$2"; fi
  shift
done
shift
FAKE_SANDBOX=yes exec "$@"
`;

const FAILING = `#!/bin/sh
echo "bwrap: setting up uid map: Permission denied" >&2
exit 1
`;

/**
 * Writes a program `bwrap` into a directory. The program stands in for bubblewrap, which npm does not install,
 * and isolates nothing. Returns a value for `PATH` that begins with the directory.
 */
export async function writeFakeBwrap(
  directory: string,
  { isFailing = false }: { readonly isFailing?: boolean } = {},
): Promise<string> {
  const file = path.join(directory, "bwrap");
  await mkdir(directory, { recursive: true });
  await writeFile(file, isFailing ? FAILING : PASSING);
  await chmod(file, 0o755);
  return `${directory}${path.delimiter}${process.env.PATH}`;
}
