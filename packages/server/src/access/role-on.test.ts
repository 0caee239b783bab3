import { includesRole, ROLES } from "@dt/schema";
import { expect, test } from "vitest";
import { roleOn } from "./role-on.js";

const session = { owner: "ada" };

test("the owner has the role of the credential, whatever was granted", () => {
  expect(ROLES.map((role) => roleOn(session, { user: "ada", role }, []))).toEqual(ROLES);
  expect(roleOn(session, { user: "ada", role: "admin" }, [{ role: "observe" }])).toBe("admin");
});

test("a user without a grant has no role, and therefore does not see the session [SEC-03]", () => {
  expect(ROLES.map((role) => roleOn(session, { user: "bob", role }, []))).toEqual(
    ROLES.map(() => undefined),
  );
});

test("a guest has the role of the credential or the role of the grant, whichever is lower [TEAM-01]", () => {
  for (const role of ROLES) {
    for (const granted of ROLES) {
      const found = roleOn(session, { user: "bob", role }, [{ role: granted }]);
      expect(found).toBe(includesRole(role, granted) ? granted : role);
    }
  }
});

test("the highest role of several grants counts", () => {
  const grants = [{ role: "observe" }, { role: "approve" }, { role: "prompt" }] as const;

  expect(roleOn(session, { user: "bob", role: "admin" }, grants)).toBe("approve");
});
