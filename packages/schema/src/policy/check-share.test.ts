import { expect, test } from "vitest";
import { checkShare, type WantedShare } from "./check-share.js";
import type { SharingPolicy } from "./server-policy.js";

const DAY_MS = 86_400_000;
const wanted: WantedShare = { with: "user", role: "approve", lifetimeMs: 2 * DAY_MS };

test.each<[SharingPolicy, Partial<WantedShare>, string]>([
  [{ users: false }, {}, "does not allow sharing with users"],
  [{ links: false }, { with: "link" }, "does not allow sharing by link"],
  [{ maxRole: "prompt" }, {}, "allows at most the role prompt in a share"],
  [{ maxDays: 1 }, {}, "allows shares of at most 1 day"],
  [{ maxDays: 7 }, { lifetimeMs: undefined }, "allows shares of at most 7 days"],
])("the policy %j refuses the share %j [SEC-10]", (sharing, share, rule) => {
  expect(() => checkShare({ sharing }, { ...wanted, ...share })).toThrow(
    expect.objectContaining({ code: "forbidden", message: `the policy of this server ${rule}` }),
  );
});

test("a share within the limits is allowed", () => {
  const sharing = { users: true, links: false, maxRole: "approve", maxDays: 2 } as const;

  expect(() => checkShare({ sharing }, wanted)).not.toThrow();
  expect(() => checkShare({}, { ...wanted, with: "link", lifetimeMs: undefined })).not.toThrow();
});
