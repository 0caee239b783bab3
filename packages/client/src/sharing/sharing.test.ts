import { expect, test } from "vitest";
import {
  type ConversationScript,
  openConversation,
} from "../task/scripted-conversation.test-support.js";
import { createSharing } from "./sharing.js";

function openSharing(call: ConversationScript["call"]) {
  const { conversation, seen } = openConversation(call === undefined ? {} : { call });
  return { sharing: createSharing(conversation), seen };
}

const grant = {
  grant_id: "g",
  user: "bob",
  role: "prompt",
  created_at: "2026-01-01T00:00:00Z",
  expires_at: "2026-01-02T00:00:00Z",
};

test("share() sends user, role and lifetime, and returns the grant [TEAM-01]", async () => {
  const { sharing, seen } = openSharing(() => ({ grant }));

  const shared = await sharing.share("c", { user: "bob", role: "prompt", ttlSeconds: 60 });

  expect(shared).toEqual({
    grant: {
      grantId: "g",
      user: "bob",
      role: "prompt",
      createdAt: grant.created_at,
      expiresAt: grant.expires_at,
      linkId: "",
    },
  });
  expect(seen.map(({ method, params }) => [method, params])).toEqual([
    ["session/share", { context_id: "c", user: "bob", role: "prompt", ttl_seconds: 60 }],
  ]);
});

test("share() without a user returns the secret of the link", async () => {
  const { sharing } = openSharing(() => ({ grant: { ...grant, user: "" }, link: "dtl_secret" }));

  expect((await sharing.share("c", { role: "observe" })).link).toBe("dtl_secret");
});

test("unshare(), access(), join() and list() send one request each", async () => {
  const session = { context_id: "c", owner: "ada", role: "prompt" };
  const replies = [{ ended: 2 }, { ...session, grants: [grant] }, session, { sessions: [session] }];
  const { sharing, seen } = openSharing(() => replies.shift());

  expect(await sharing.unshare("c", { grantId: "g" })).toBe(2);
  expect(await sharing.access("c")).toMatchObject({ owner: "ada", grants: [{ user: "bob" }] });
  expect(await sharing.join("dtl_x")).toMatchObject({ contextId: "c", role: "prompt" });
  expect(await sharing.list()).toMatchObject([{ contextId: "c", owner: "ada" }]);

  expect(seen.map(({ method, params }) => [method, params])).toEqual([
    ["session/unshare", { context_id: "c", grant_id: "g" }],
    ["session/access", { context_id: "c" }],
    ["session/join", { link: "dtl_x" }],
    ["session/shared", {}],
  ]);
});

test("an unreadable reply is refused with the path of the fault", async () => {
  const { sharing } = openSharing(() => ({}));

  await expect(sharing.share("c", { role: "observe" })).rejects.toThrow("result.grant: required");
});
