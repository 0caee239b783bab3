import { expect, test } from "vitest";
import { secretFiles } from "./secret-files.js";

const VARIABLES: readonly (readonly [string, string, boolean])[] = [
  ["GEMINI_API_KEY_FILE", "/etc/dt/key", true],
  ["DT_STORE_FILE", "/etc/dt/store", true],
  ["DT_SECRET_KEY_FILE", "/etc/dt/secret", true],
  ["DT_PUSH_SECRET_FILE", "/etc/dt/push", true],
  ["GITHUB_TOKEN_FILE", "/etc/token", true],
  ["GOOGLE_APPLICATION_CREDENTIALS", "/etc/google.json", true],
  ["DT_TLS_KEY", "/etc/dt/tls.pem", true],
  ["GEMINI_API_KEY_FILE", "relative/key", false],
  ["SSL_CERT_FILE", "/etc/ssl/certs.pem", false],
  ["DT_POLICY_FILE", "/etc/dt/policy.yaml", false],
  ["GEMINI_API_KEY", "/not/a/path", false],
];

test.each(VARIABLES)(
  "%s with the value %s names a file with a secret: %s [SEC-05]",
  (name, value, isSecret) => {
    expect(secretFiles({ [name]: value })).toEqual(isSecret ? [value] : []);
  },
);
