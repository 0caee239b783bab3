import path from "node:path";

/** Names of variables whose value is the path of a file with a secret. */
const SECRET_FILE = /(KEY|TOKEN|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIALS?|STORE)_FILE$/;

/** Other variables that name such a file. */
const OTHER_NAMES = ["GOOGLE_APPLICATION_CREDENTIALS", "DT_TLS_KEY"];

/** Returns the absolute paths of the files with secrets that the environment names. Pure. */
export function secretFiles(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    const isSecret = SECRET_FILE.test(name) || OTHER_NAMES.includes(name);
    return isSecret && value !== undefined && path.isAbsolute(value) ? [value] : [];
  });
}
